import { Blocks } from "lucide-react";
import { Trans, useTranslation } from "react-i18next";
import { useExtensions, useFound, useModels, useTools } from "../host/queries";
import { Button } from "../kit";
import { useTabs } from "../store/tabs";
import { Offers, offeredOf } from "./Matches";
import css from "./welcome.module.css";

/** Tools that an empty chat without a model offers. */
const offered = 4;

const openModels = () => useTabs.getState().open({ kind: "settings", page: "models" });
const openExtensions = () => useTabs.getState().open({ kind: "settings", page: "extensions" });

/** Says that there is no model and that it works without one. */
export function DirectHead() {
  const { t } = useTranslation("chat");
  const found = useFound().data ?? [];
  const { i18n } = useTranslation();
  const names = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(found.map((server) => server.name));
  return (
    <header className={css.head}>
      <h1>{t("welcome.direct")}</h1>
      <p>
        <Trans t={t} i18nKey={found.length > 0 ? "welcome.directFound" : "welcome.directNote"} values={{ names }} count={found.length} components={{ connect: <button className={css.link} onClick={openModels} /> }} />
      </p>
    </header>
  );
}

/** An empty chat: what to do next, whatever is there already. */
export function Welcome({ direct, session }: { direct: boolean; session: string | (() => Promise<string>) }) {
  const { t } = useTranslation("chat");
  const extensions = useExtensions();
  const tools = useTools();
  const chosen = useModels().data;
  if (!extensions.data || !tools.data || !chosen) return null;
  const usable = tools.data.filter((view) => view.available);
  const none = usable.length === 0;
  return (
    <div className={css.welcome}>
      {direct ? <DirectHead /> : <header className={css.head}><h1>{t("welcome.hello")}</h1><p>{t("welcome.helloNote")}</p></header>}
      {none ? (
        <div className={css.empty}>
          <Blocks aria-hidden />
          <div>
            <h2>{t(extensions.data.length > 0 ? "welcome.allOff" : "welcome.noExtensions")}</h2>
            <p>{t(extensions.data.length > 0 ? "welcome.allOffNote" : "welcome.noExtensionsNote")}</p>
          </div>
          <Button kind="main" onClick={openExtensions}>{t(extensions.data.length > 0 ? "welcome.openExtensions" : "welcome.addExtension")}</Button>
        </div>
      ) : direct ? (
        <section aria-label={t("welcome.tools")}>
          <p className={css.heading}>{t("welcome.tools")}</p>
          <Offers session={session} tools={usable.slice(0, offered).map(offeredOf)} first={false} />
        </section>
      ) : null}
    </div>
  );
}
