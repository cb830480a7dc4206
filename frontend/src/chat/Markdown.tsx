import { Component, memo, Suspense, use, useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { Code } from "./Code";
import { OuterLink } from "./links";
import { hasMath, piecesOf, withMath } from "./markdown";
import css from "./prose.module.css";

function Picture({ src, alt }: { src: string | undefined; alt: string | undefined }) {
  const { t } = useTranslation("chat");
  // Loading it would tell a stranger's server that this text was read.
  return <OuterLink href={src}>{t("picture", { alt: alt || src || "" })}</OuterLink>;
}

const components: Components = {
  a: ({ href, children }) => <OuterLink href={href}>{children}</OuterLink>,
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt} />,
  table: ({ children }) => (
    <div className={css.table} tabIndex={0} role="group"><table>{children}</table></div>
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = String(children ?? "");
    const language = /language-(\S+)/.exec(className ?? "")?.[1];
    if (language === undefined && !text.includes("\n")) return <code>{children}</code>;
    return <Code language={language ?? ""} text={text.replace(/\n$/, "")} />;
  },
  input: ({ checked, type }) => (type === "checkbox" ? <input type="checkbox" checked={!!checked} readOnly disabled /> : null),
};

const plain: Pick<Options, "remarkPlugins"> = { remarkPlugins: [remarkGfm] };

let mathPlugins: Promise<Pick<Options, "remarkPlugins" | "rehypePlugins">> | undefined;

/** Formulas are rare and their fonts are large: they come when the first one does. */
const loadMath = () =>
  (mathPlugins ??= import("./math").then(({ remarkMath, rehypeKatex }) => ({
    remarkPlugins: [remarkGfm, remarkMath],
    rehypePlugins: [[rehypeKatex, { throwOnError: false, trust: false, strict: "ignore", maxExpand: 200, maxSize: 20 }]],
  })));

function WithMath({ text }: { text: string }) {
  return <ReactMarkdown {...use(loadMath())} components={components}>{withMath(text)}</ReactMarkdown>;
}

/** Markdown that breaks its parser is still a text. */
class Readable extends Component<{ text: string; children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <p className={css.plain}>{this.props.text}</p> : this.props.children;
  }
}

const Piece = memo(function Piece({ text }: { text: string }) {
  const simple = <ReactMarkdown {...plain} components={components}>{text}</ReactMarkdown>;
  return <Readable text={text}>{hasMath(text) ? <Suspense fallback={simple}><WithMath text={text} /></Suspense> : simple}</Readable>;
});

/** What a model or a tool wrote. It stays inside of its box, loads nothing and runs nothing; only what changed is parsed again. */
export const Markdown = memo(function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <div className={css.prose} data-streaming={streaming || undefined}>
      {pieces.map((piece, n) =>
        piece.code ? (
          <Code key={piece.at} language={piece.code.language} text={piece.code.body.replace(/\n$/, "")} growing={streaming && n === pieces.length - 1} />
        ) : (
          <Piece key={piece.at} text={piece.text} />
        ),
      )}
    </div>
  );
});
