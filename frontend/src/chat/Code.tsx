import { Check, Copy } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText, IconButton } from "../kit";
import { coloured } from "./colours";
import type { Word } from "./highlight";
import css from "./prose.module.css";

/** Above this many characters code stays plain: colours are no help to who scrolls through that much. */
const longestColoured = 60_000;

/** How long "copied" is shown, in milliseconds. */
const shownFor = 1600;

export function CopyButton({ text, label }: { text: () => string; label?: string }) {
  const { t } = useTranslation("chat");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownFor);
    return () => clearTimeout(timer);
  }, [copied]);
  return <IconButton small icon={copied ? Check : Copy} label={copied ? t("copied") : (label ?? t("copy"))} onClick={() => void copyText(text()).then(setCopied)} />;
}

/** Code with its language and a button that copies it; colours come when it is whole and there is time. */
export const Code = memo(function Code({ language, text, growing = false }: { language: string; text: string; growing?: boolean }) {
  const { t } = useTranslation("chat");
  const [lines, setLines] = useState<{ of: string; lines: Word[][] }>();
  useEffect(() => {
    if (growing || !language || text.length > longestColoured) return;
    let gone = false;
    coloured(text, language).then((done) => done && !gone && setLines({ of: text, lines: done }), () => undefined);
    return () => {
      gone = true;
    };
  }, [growing, language, text]);
  return (
    <figure className={css.code} aria-label={language ? t("codeIn", { language }) : t("code")}>
      <figcaption>
        <span>{language || t("code")}</span>
        <CopyButton text={() => text} label={t("copyCode")} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{lines?.of === text ? lines.lines.map((line, n) => <Line key={n} line={line} last={n === lines.lines.length - 1} />) : text}</code>
      </pre>
    </figure>
  );
});

const Line = memo(function Line({ line, last }: { line: Word[]; last: boolean }) {
  return (
    <>
      {line.map((word, n) => (word.color ? <span key={n} style={{ color: word.color }}>{word.text}</span> : word.text))}
      {!last && "\n"}
    </>
  );
});
