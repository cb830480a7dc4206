import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mockContext } from "./mock.ts";
import { downloadsFolders, downloadUrl, fetchWebpage, safeName, webSearch } from "./web.ts";

/** Runs `use` with the address of a server that answers so, and ends the server. */
async function withServer(answer: (asked: Request) => Response | Promise<Response>, use: (address: string) => Promise<void>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  try {
    await use(`http://127.0.0.1:${server.addr.port}/`);
  } finally {
    await server.shutdown();
  }
}

async function withFolder(use: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const html = (text: string) => new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("a search gives titles, addresses and texts, without advertisements", async () => {
  let query: string | null = null;
  await withServer((asked) => {
    query = new URL(asked.url).searchParams.get("q");
    return html(`
      <h2><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Ad</a></h2><a class="result__snippet" href="#">Buy</a>
      <h2><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Ftea%3Fa%3D1&amp;rut=x"><b>Tea</b> &amp; cake</a></h2>
      <a class="result__snippet" href="#">All about
        <b>tea</b>.</a><a class="other">no</a>
      <h2><a class="result__a" href="https://example.org/">Second</a></h2>`);
  }, async (address) => {
    const { ctx, progress } = mockContext();
    deepEqual((await webSearch({ query: "tea & cake" }, ctx, address)).results, [
      { title: "Tea & cake", url: "https://example.com/tea?a=1", snippet: "All about tea." },
      { title: "Second", url: "https://example.org/", snippet: "" },
    ]);
    equal((await webSearch({ query: "tea & cake", limit: 1 }, ctx, address)).results.length, 1);
    equal(query, "tea & cake");
    equal(progress.at(-1), 1);
  });
});

Deno.test("a search engine that asks for a human says so, and one without results has none", async () => {
  const { ctx } = mockContext();
  await withServer(() => html(`<form id="challenge-form"></form>`), (address) => rejects(webSearch({ query: "tea" }, ctx, address), /asks for a human/));
  await withServer(() => html("<p>No results.</p>"), async (address) => deepEqual((await webSearch({ query: "tea" }, ctx, address)).results, []));
});

Deno.test("a page is read at the address it moved to, in its own encoding", async () => {
  await withServer((asked) => {
    if (new URL(asked.url).pathname === "/") return new Response(null, { status: 302, headers: { location: "/tea" } });
    return new Response(new Uint8Array([0x3c, 0x70, 0x3e, 0x74, 0xe9]), { headers: { "content-type": "text/html; charset=iso-8859-1" } });
  }, async (address) => {
    deepEqual(await fetchWebpage({ url: address }, mockContext().ctx), { url: `${address}tea`, title: "", text: "té", links: [], truncated: false });
  });
});

Deno.test("a page is bounded in characters and in bytes", async () => {
  const { ctx } = mockContext();
  await withServer(() => html(`<p>${"a".repeat(50_000)}</p>`), async (url) => {
    const { text, truncated } = await fetchWebpage({ url }, ctx);
    deepEqual([text.length, truncated], [40_000, true]);
  });
  await withServer(() => html(`<p>a</p><!--${" ".repeat(3_000_000)}--><p>b</p>`), async (url) => {
    const { text, truncated } = await fetchWebpage({ url }, ctx);
    deepEqual([text, truncated], ["a", true]);
  });
});

Deno.test("what isn't a readable page is refused in words", async () => {
  const { ctx } = mockContext();
  await withServer(() => new Response("x", { headers: { "content-type": "image/png" } }), (url) => rejects(fetchWebpage({ url }, ctx), /image\/png.*download_url/));
  await withServer(() => new Response("x", { status: 404 }), (url) => rejects(fetchWebpage({ url }, ctx), /answered 404/));
  for (const url of ["file:///etc/passwd", "tea", "data:text/html,x"]) await rejects(fetchWebpage({ url }, ctx), /isn't an http or https address/);
});

Deno.test("a cancelled turn ends the request", async () => {
  const turn = new AbortController();
  const held = Promise.withResolvers<Response>();
  await withServer(() => {
    turn.abort();
    return held.promise;
  }, async (url) => {
    await rejects(fetchWebpage({ url }, mockContext({ signal: turn.signal }).ctx), { name: "AbortError" });
    held.resolve(new Response());
  });
});

Deno.test("a download never replaces a file", () =>
  withFolder((folder) =>
    withServer(() => new Response("new"), async (address) => {
      await Deno.writeTextFile(`${folder}/tea.txt`, "old");
      const { ctx, progress } = mockContext();
      const { path, bytes } = await downloadUrl({ url: `${address}tea.txt` }, ctx, { folders: [folder] });
      deepEqual([path, bytes], [`${folder}/tea (1).txt`, 3]);
      equal(await Deno.readTextFile(`${folder}/tea.txt`), "old");
      equal(await Deno.readTextFile(path), "new");
      equal(progress.at(-1), 1);
    })
  ));

Deno.test("the server's name for a file is used, but leads nowhere else", () =>
  withFolder((folder) =>
    withServer((asked) => {
      const said = new URL(asked.url).pathname === "/a" ? `attachment; filename="../../evil.sh"` : "attachment; filename=x.txt; filename*=UTF-8''t%C3%A9.txt";
      return new Response("x", { headers: { "content-disposition": said } });
    }, async (address) => {
      const { ctx } = mockContext();
      for (const page of ["a", "b"]) await downloadUrl({ url: address + page }, ctx, { folders: [folder] });
      deepEqual(names(folder), ["_.._evil.sh", "té.txt"]);
    })
  ));

Deno.test("too large a file leaves nothing, whether its length is said or not", () =>
  withFolder((folder) =>
    withServer((asked) => {
      const bytes = new Uint8Array(2000);
      return new Response(asked.url.endsWith("said") ? bytes : new Blob([bytes]).stream());
    }, async (address) => {
      for (const page of ["said", "unsaid"]) await rejects(downloadUrl({ url: address + page }, mockContext().ctx, { folders: [folder], most: 1000 }), /larger than/);
      deepEqual(names(folder), []);
    })
  ));

Deno.test("names are safe on every system", () => {
  for (const [name, safe] of [["", "download"], ["..", "download"], ["a/b\\c:d", "a_b_c_d"], ["con.txt", "_con.txt"], ["x\u202egnp.exe", "x_gnp.exe"], ["a.txt. ", "a.txt"]]) equal(safeName(name), safe);
  ok(safeName("a".repeat(300) + ".txt").length <= 120);
  match(safeName("a".repeat(300) + ".txt"), /\.txt$/);
});

Deno.test("on Linux the desktop says where downloads go, elsewhere it is always the same place", async () => {
  await withFolder(async (home) => {
    const before = Deno.env.get("HOME");
    Deno.env.set("HOME", home);
    try {
      deepEqual(await downloadsFolders("linux"), [`${home}/Downloads`]);
      await Deno.mkdir(`${home}/.config`);
      await Deno.writeTextFile(`${home}/.config/user-dirs.dirs`, '# a comment\nXDG_DOWNLOAD_DIR="$HOME/Descargas"\n');
      deepEqual(await downloadsFolders("linux"), [`${home}/Descargas`, `${home}/Downloads`]);
      deepEqual(await downloadsFolders("darwin"), [`${home}/Downloads`]);
    } finally {
      if (before === undefined) Deno.env.delete("HOME");
      else Deno.env.set("HOME", before);
    }
  });
});

Deno.test("a folder that can't be used leaves the file to the next", () =>
  withFolder((folder) =>
    withServer(() => new Response("x"), async (address) => {
      await Deno.writeTextFile(`${folder}/no-folder`, "");
      const { path } = await downloadUrl({ url: `${address}tea.txt` }, mockContext().ctx, { folders: [`${folder}/no-folder/in`, folder] });
      equal(path, `${folder}/tea.txt`);
    })
  ));
