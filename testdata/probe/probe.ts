// Makes one access and says whether it was let through: "done" and what it got, or "refused" and why. The tests run it under
// each layer of confinement and compare.
const [access, ...targets] = Deno.args;
const [target, second] = targets;
const text = new TextDecoder();

const accesses: Record<string, () => unknown> = {
  read: () => Deno.readTextFileSync(target),
  list: () => [...Deno.readDirSync(target)].map((entry) => entry.name).join(" "),
  stat: () => Deno.statSync(target).size,
  write: () => Deno.writeTextFileSync(target, "written"),
  append: () => Deno.writeTextFileSync(target, "more", { append: true }),
  truncate: () => Deno.truncateSync(target, 0),
  mkdir: () => Deno.mkdirSync(target),
  remove: () => Deno.removeSync(target),
  rename: () => Deno.renameSync(target, second),
  link: () => Deno.linkSync(target, second),
  symlink: () => Deno.symlinkSync(target, second),
  env: () => Deno.env.get(target) ?? "nothing",
  hostname: () => Deno.hostname(),
  interfaces: () => Deno.networkInterfaces().length,
  async connect() {
    const connection = await Deno.connect({ hostname: target, port: Number(second) });
    const answer = new Uint8Array(64);
    const n = await connection.read(answer);
    connection.close();
    return text.decode(answer.subarray(0, n ?? 0));
  },
  listen() {
    Deno.listen({ hostname: target, port: Number(second) }).close();
  },
  async unix() {
    const connection = await Deno.connect({ transport: "unix", path: target });
    connection.close();
  },
  async udp() {
    const { createSocket } = await import("node:dgram");
    const socket = createSocket("udp4");
    try {
      await new Promise<void>((done, failed) => {
        socket.on("error", failed);
        socket.send("hello", Number(second), target, (error) => error ? failed(error) : done());
      });
    } finally {
      socket.close();
    }
  },
  async run() {
    const { code, stdout, stderr } = await new Deno.Command(target, { args: targets.slice(1), clearEnv: true }).output();
    if (code !== 0) throw new Error(`code ${code}: ${text.decode(stderr)}`);
    return text.decode(stdout);
  },
};

const refused = (error: unknown): never => {
  console.log("refused", String(error).split("\n")[0]);
  Deno.exit(0);
};
// Node's modules throw some errors past the promise that waits for them.
globalThis.addEventListener("error", (event) => refused(event.error));

try {
  console.log("done", (await accesses[access]()) ?? "");
} catch (error) {
  refused(error);
}
Deno.exit(0);
