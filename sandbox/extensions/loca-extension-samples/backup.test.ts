import { deepEqual, equal, rejects } from "node:assert/strict";
import { sampleBackup } from "./backup.ts";
import { mockContext } from "./mock.ts";

Deno.test("a file is copied once, and no copy is ever replaced", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/tea.txt`;
    await Deno.writeTextFile(path, "green");
    const { ctx, progress } = mockContext();
    deepEqual(await sampleBackup({ path }, ctx), { copy: `${path}.bak`, bytes: 5 });
    equal(await Deno.readTextFile(`${path}.bak`), "green");
    equal(progress.at(-1), 1);
    await rejects(sampleBackup({ path }, ctx), Deno.errors.AlreadyExists);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
