import { deepEqual, equal } from "node:assert/strict";
import { decodeEntities, readPage } from "./html.ts";

const text = (html: string) => readPage(html, "https://example.com/").text;

Deno.test("the article is preferred, and what surrounds it is dropped", () => {
  const page = readPage(
    `<!doctype html><title>Tea &amp; cake</title><style>p{}</style><nav><a href=/x>Menu</a></nav><p>Before</p>
     <main><h1>Tea</h1><p>Green <b>or</b>
     black.</p><ul><li>One<li>Two</ul><script>if (a<b) "</p>"</script><aside>Ad</aside><a href="/more?a=1&amp;b=2">More</a></main>
     <footer>Fine print</footer>`,
    "https://example.com/tea",
  );
  equal(page.title, "Tea & cake");
  equal(page.text, "# Tea\n\nGreen or black.\n\n- One\n- Two\nMore");
  deepEqual(page.links, [{ text: "More", url: "https://example.com/more?a=1&b=2" }]);
});

const cases: [string, string, string][] = [
  ["a page without an article is read whole", "<p>One</p><div>Two</div>", "One\n\nTwo"],
  ["an empty main leaves the rest", "<main></main><p>One</p>", "One"],
  ["a > in a quoted attribute ends no tag", `<p title="a>b">One</p>`, "One"],
  ["a < that opens nothing is text", "<p>1 < 2</p>", "1 < 2"],
  ["comments hide tags", "a<!-- <p>x</p> -->b", "ab"],
  ["a comment without an end hides the rest", "a<!-- b", "a"],
  ["an empty script hides nothing", "<p>a</p><script></script><p>b</p>", "a\n\nb"],
  ["a script without an end hides the rest", "<p>a</p><script>b<p>c</p>", "a"],
  ["a stray quote in a tag hides nothing", `<p ">a</p><p class='x'>b</p>`, "a\n\nb"],
  ["nested boilerplate ends where it ends", "<nav>a<nav>b</nav>c</nav>d", "d"],
  ["text alone is itself", "plain", "plain"],
  ["nothing is nothing", "", ""],
];
for (const [what, html, wanted] of cases) Deno.test(what, () => equal(text(html), wanted));

Deno.test("entities by name, number and hex are decoded once", () => {
  equal(decodeEntities("&lt;&#233;&#x1F375;&amp;lt;&unknown;&#0;&#x110000;&"), "<é🍵&lt;&unknown;\ufffd\ufffd&");
});

Deno.test("two megabytes of unclosed tags take no longer than a page", () => {
  const started = performance.now();
  for (const piece of ["<", "<a ", "<a b='", "<p>", "<!--", "<script>", "<!x"]) text(piece.repeat(2_000_000 / piece.length));
  equal(performance.now() - started < 20_000, true);
});
