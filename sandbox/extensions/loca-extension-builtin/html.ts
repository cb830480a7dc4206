const named: Record<string, string> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…", copy: "©", reg: "®", euro: "€",
  lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", middot: "·", bull: "•", times: "×", deg: "°",
  aacute: "á", eacute: "é", iacute: "í", oacute: "ó", uacute: "ú", ntilde: "ñ", uuml: "ü", auml: "ä", ouml: "ö", szlig: "ß",
  Aacute: "Á", Eacute: "É", Iacute: "Í", Oacute: "Ó", Uacute: "Ú", Ntilde: "Ñ", egrave: "è", agrave: "à", ccedil: "ç", iquest: "¿", iexcl: "¡",
};

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]+));/g, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(named, name) ? named[name] : whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

const tagName = /<(\/?)([a-zA-Z][^\s/>]{0,40})/y;
const raw = new Set(["script", "style", "noscript", "template", "svg", "iframe", "textarea", "select"]);
const boilerplate = new Set(["nav", "footer", "aside", "form", "dialog"]);
const blocks = /^(?:p|div|section|article|main|header|h[1-6]|ul|ol|li|dl|dt|dd|table|tr|pre|blockquote|figure|figcaption|br|hr|title|address)$/;

export function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(attributes);
  return match ? decodeEntities(match[1] ?? match[2] ?? match[3]) : undefined;
}

/** Where the ">" of a tag stands. A quoted value may hold one; a quote opens a value only after "=". */
function tagEnd(html: string, from: number): number {
  let before = "";
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === ">") return at;
    if ((character === '"' || character === "'") && before === "=") {
      at = html.indexOf(character, at + 1);
      if (at < 0) return -1;
    }
    if (character.trim()) before = character;
  }
  return -1;
}

/**
 * The parts of a page in one pass: its texts and tags, without comments and without what holds no reading text. What is
 * opened and never ends takes the rest of the page with it, as in a browser: looking on from there again and again would
 * make the time grow with the square of the page.
 */
export function* parts(html: string): Generator<{ text: string } | { name: string; closes: boolean; attributes: string }> {
  const lower = html.toLowerCase();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) return yield { text: html.slice(at) };
    if (open > at) yield { text: html.slice(at, open) };
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    tagName.lastIndex = open;
    const match = tagName.exec(html);
    if (!match) {
      const opens = /[!?/]/.test(html[open + 1] ?? "");
      const end = opens ? html.indexOf(">", open) : open;
      if (!opens) yield { text: "<" };
      at = end < 0 ? html.length : end + 1;
      continue;
    }
    const end = tagEnd(html, tagName.lastIndex);
    if (end < 0) return;
    const attributes = html.slice(tagName.lastIndex, end);
    const name = match[2].toLowerCase();
    at = end + 1;
    if (!raw.has(name)) yield { name, closes: match[1] === "/", attributes };
    else if (!match[1] && !(name === "svg" && attributes.endsWith("/"))) {
      const close = lower.indexOf(`</${name}`, at);
      if (close < 0) return;
      at = close;
    }
  }
}

const tidy = (text: string) => decodeEntities(text).replace(/[ \t\r\f\u00a0]+/g, " ").replace(/ *\n */g, "\n").replace(/\n{3,}/g, "\n\n").trim();

/** What a person would read: the title, the text of main or article when there is one, and where its links go. */
export function readPage(html: string, base: string): { title: string; text: string; links: { text: string; url: string }[] } {
  let title = "", all = "", chosen = "";
  let inTitle = false, preferred = 0, dropped = "", depth = 0;
  let link: { url: string; text: string } | undefined;
  const links: { text: string; url: string }[] = [];
  for (const part of parts(html)) {
    if ("text" in part) {
      if (inTitle) title += part.text;
      else if (!dropped) {
        const text = part.text.replace(/\s+/g, " ");
        all += text;
        if (preferred) chosen += text;
        if (link) link.text += text;
      }
      continue;
    }
    const { name, closes, attributes } = part;
    if (dropped) {
      if (name === dropped) depth += closes ? -1 : 1;
      if (depth === 0) dropped = "";
      continue;
    }
    if (boilerplate.has(name) && !closes) {
      dropped = name;
      depth = 1;
    } else if (name === "title") inTitle = !closes;
    else if (name === "main" || name === "article") preferred = Math.max(0, preferred + (closes ? -1 : 1));
    else if (name === "a" && !closes) {
      const href = attribute(attributes, "href");
      if (href && URL.canParse(href, base)) link = { url: new URL(href, base).href, text: "" };
    } else if (name === "a" && link) {
      const text = tidy(link.text);
      if (text && /^https?:/.test(link.url) && links.length < 100) links.push({ text, url: link.url });
      link = undefined;
    }
    if (blocks.test(name)) {
      const space = name === "li" && !closes ? "\n- " : /^h\d$/.test(name) && !closes ? `\n\n${"#".repeat(Number(name[1]))} ` : name === "p" ? "\n\n" : "\n";
      all += space;
      if (preferred) chosen += space;
    } else if (name === "td" || name === "th") {
      all += " ";
      if (preferred) chosen += " ";
    }
  }
  return { title: tidy(title).replace(/\s+/g, " "), text: tidy(chosen) || tidy(all), links };
}
