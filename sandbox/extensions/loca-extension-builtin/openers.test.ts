import { deepEqual, equal, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { type Command, openApp, openFile, openWebsite, run } from "./openers.ts";

/** A runner that remembers, and fails for the programs that `missing` names. */
function recorder(...missing: string[]) {
  const commands: Command[] = [];
  return {
    commands,
    runner: (command: Command) => {
      commands.push(command);
      if (missing.includes(command[0])) return Promise.reject(new Deno.errors.NotFound(`no ${command[0]}`));
      return Promise.resolve({ code: command[0] === "explorer" ? 1 : 0, stdout: "", stderr: "" });
    },
  };
}

const { ctx } = mockContext();

for (const [os, program] of [["darwin", "open"], ["windows", "explorer"], ["linux", "xdg-open"]]) {
  Deno.test(`on ${os} a website opens with ${program}`, async () => {
    const { commands, runner } = recorder();
    deepEqual(await openWebsite({ url: "example.com/a b" }, ctx, os, runner), { opened: "https://example.com/a%20b" });
    deepEqual(commands, [[program, "https://example.com/a%20b"]]);
  });
}

Deno.test("without xdg-open, gio opens it", async () => {
  const { commands, runner } = recorder("xdg-open");
  await openFile({ path: "/tmp/a.txt" }, ctx, "linux", runner);
  deepEqual(commands.at(-1), ["gio", "open", "/tmp/a.txt"]);
});

Deno.test("with neither, the error names both", async () => {
  await rejects(openFile({ path: "/tmp/a.txt" }, ctx, "linux", recorder("xdg-open", "gio").runner), /xdg-open: .*gio: /);
});

for (const url of ["file:///etc/passwd", "javascript:alert(1)", "http://", "mailto:a@example.com"]) {
  Deno.test(`${url} isn't a website`, async () => {
    const { commands, runner } = recorder();
    await rejects(openWebsite({ url }, ctx, "linux", runner));
    equal(commands.length, 0);
  });
}

Deno.test("a host with a port needs no scheme", async () => {
  deepEqual(await openWebsite({ url: "localhost:8080/x" }, ctx, "linux", recorder().runner), { opened: "https://localhost:8080/x" });
});

for (const path of ["-rf", "notes.txt", "https://example.com", ""]) {
  Deno.test(`"${path}" isn't a full path`, async () => {
    await rejects(openFile({ path }, ctx, "linux", recorder().runner), /isn't a full path/);
  });
}

Deno.test("an application opens by its name on each system", async () => {
  const opened = async (os: string, name: string) => {
    const { commands, runner } = recorder();
    await openApp({ name }, ctx, os, runner);
    return commands[0];
  };
  deepEqual(await opened("darwin", "Visual Studio Code"), ["open", "-a", "Visual Studio Code"]);
  deepEqual(await opened("linux", "firefox"), ["gtk-launch", "firefox"]);
  deepEqual((await opened("windows", "It's")).at(-1), "Start-Process -FilePath 'It''s'");
});

for (const name of ["--help", "a; rm b", "$(x)", "../x", "it’s", ""]) {
  Deno.test(`"${name}" isn't an application`, async () => {
    await rejects(openApp({ name }, ctx, "windows", recorder().runner), /isn't the name/);
  });
}

Deno.test("a real program's output and code arrive", async () => {
  const { code, stdout } = await run([Deno.execPath(), "eval", "console.log('here'); Deno.exit(3)"], ctx.signal);
  deepEqual([code, stdout.trim()], [3, "here"]);
});
