/** The settings: one tab, its list of pages in the sidebar, and the dialog that reviews an install. */
import { useTranslation } from "react-i18next";
import { ReportAbout } from "../kit";
import { useAbout } from "../host/queries";
import { AboutPage, PrivacyPage, ShortcutsPage } from "./about";
import { ExtensionsPage } from "./extensions/list";
import { AppearancePage, GeneralPage } from "./general";
import { MemoriesPage } from "./memories/list";
import { ModelsPage } from "./models";
import { placeOf } from "./pages";
import { SchedulesPage } from "./schedules/page";
import css from "./settings.module.css";
import { ToolsPage } from "./tools";
import { VaultPage } from "./vault";
import { VoicePage } from "./voice/page";

export { InstallDialog } from "./install";
export { SettingsNav } from "./nav";

export function SettingsTab({ page, onPage }: { page: string; onPage(page: string): void }) {
  const { t } = useTranslation("settings");
  const info = useAbout().data;
  const place = placeOf(page);
  return (
    <ReportAbout value={info ? `Portico ${info.version}, ${info.platform}` : ""}>
      <div className={css.tab}>
        {place.page === "extensions" ? (
          <ExtensionsPage chosen={place.key} onChoose={(key) => onPage(key ? `extensions/${key}` : "extensions")} />
        ) : place.page === "memories" ? (
          <MemoriesPage chosen={place.key} onChoose={(id) => onPage(id ? `memories/${id}` : "memories")} />
        ) : (
          <div className={css.page} key={place.page} tabIndex={0} role="region" aria-label={t(`page.${place.page}`)}><Page place={place} onPage={onPage} /></div>
        )}
      </div>
    </ReportAbout>
  );
}

function Page({ place, onPage }: { place: ReturnType<typeof placeOf>; onPage(page: string): void }) {
  switch (place.page) {
    case "general":
      return <GeneralPage />;
    case "appearance":
      return <AppearancePage />;
    case "models":
      return <ModelsPage onPage={onPage} />;
    case "tools":
      return <ToolsPage key={place.key} named={place.key} onPage={onPage} />;
    case "schedules":
      return <SchedulesPage />;
    case "vault":
      return <VaultPage onPage={onPage} />;
    case "voice":
      return <VoicePage />;
    case "shortcuts":
      return <ShortcutsPage />;
    case "privacy":
      return <PrivacyPage />;
    default:
      return <AboutPage />;
  }
}
