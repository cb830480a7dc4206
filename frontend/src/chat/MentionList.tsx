import { BookOpen, Route } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { MemoryItem } from "../host";
import { cx } from "../kit";
import css from "./composer.module.css";

/** The memories that an "@" may mean, above the message. The focus stays in the message. */
export function MentionList({ id, items, at, onPick, onAt }: { id: string; items: readonly MemoryItem[]; at: number; onPick(item: MemoryItem): void; onAt(at: number): void }) {
  const { t } = useTranslation("chat");
  const active = useRef<HTMLDivElement>(null);
  useEffect(() => {
    active.current?.scrollIntoView?.({ block: "nearest" }); // newer engines give a promise, which is no clean-up
  }, [at]);
  return (
    <div id={id} role="listbox" aria-label={t("mention.label")} className={cx(css.menu, css.mentions)}>
      {items.map((item, n) => {
        const Icon = item.kind === "skill" ? Route : BookOpen;
        return (
          <div key={item.id} id={`${id}-${n}`} ref={n === at ? active : undefined} role="option" aria-selected={n === at} className={css.mention}
            onPointerDown={(event) => event.preventDefault()} onPointerMove={() => n !== at && onAt(n)} onClick={() => onPick(item)}>
            <Icon aria-hidden />
            <span className={css.name}>{item.title}</span>
            <span className={css.note}>{item.summary || t(item.kind === "skill" ? "mention.skill" : "mention.knowledge")}</span>
            {item.owner && <span className={css.owner}>{item.owner}</span>}
          </div>
        );
      })}
    </div>
  );
}
