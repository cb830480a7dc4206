import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../host";
import { useSettings } from "../host/queries";
import { Group, GroupRow, Input, Segmented, Select } from "../kit";
import { useSaveSettings } from "./changes";
import { Loaded } from "./loaded";
import css from "./settings.module.css";

/** The core's bounds: of a turn, and of what tools may use. */
const steps = { min: 1, max: 100 };
const workers = [
  { name: "running", text: "running", min: 1, max: 64 },
  { name: "ahead", text: "ahead", min: 0, max: 16 },
  { name: "megabytes", text: "megabytes", min: 64, max: 16_384 },
  { name: "cpuSeconds", text: "cpu", min: 5, max: 86_400 },
] as const;

export function GeneralPage() {
  const { t } = useTranslation("settings");
  const save = useSaveSettings();
  return (
    <div className={css.lane}>
      <header><h1>{t("page.general")}</h1></header>
      <Loaded query={useSettings()}>
        {(settings) => (
          <>
          <Group>
            <div id="setting-general-language">
              <GroupRow title={t("general.language")} note={t("general.languageNote")}>
                <Select label={t("general.language")} value={settings.language} onChange={(language) => save.mutate({ language })}
                  choices={[{ value: "system", label: t("general.languageSystem") }, { value: "en", label: "English" }, { value: "es", label: "Español" }]} />
              </GroupRow>
            </div>
            <div id="setting-general-steps">
              <GroupRow title={t("general.steps")} note={t("general.stepsNote")}>
                <WholeNumber {...steps} value={settings.stepLimit} label={t("general.steps")} onSave={(stepLimit) => save.mutate({ stepLimit })} />
              </GroupRow>
            </div>
          </Group>
          <section id="setting-general-workers" aria-labelledby="general-workers">
            <header className={css.heading}>
              <h2 id="general-workers">{t("general.workers")}</h2>
              <p className={css.quiet}>{t("general.workersNote")}</p>
            </header>
            <Group>
              {workers.map(({ name, text, min, max }) => (
                <GroupRow key={name} title={t(`general.${text}`)} note={t(`general.${text}Note`)}>
                  <WholeNumber min={min} max={max} value={settings.workers[name]} label={t(`general.${text}`)}
                    onSave={(value) => save.mutate({ workers: { ...settings.workers, [name]: value } })} />
                </GroupRow>
              ))}
            </Group>
          </section>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Saved when it is left or confirmed, and only when it is a number that the core takes. */
function WholeNumber({ value, min, max, label, onSave }: { value: number; min: number; max: number; label: string; onSave(value: number): void }) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const wanted = Number(text);
  const good = Number.isInteger(wanted) && wanted >= min && wanted <= max;
  const settle = () => {
    if (!good) setText(String(value));
    else if (wanted !== value) onSave(wanted);
  };
  return (
    <Input className={css.number} inputMode="numeric" role="spinbutton" aria-label={label} aria-valuemin={min} aria-valuemax={max} aria-valuenow={value} aria-invalid={!good || undefined} value={text}
      onChange={(event) => setText(event.target.value)} onBlur={settle}
      onKeyDown={(event) => {
        if (event.key === "Enter") settle();
        const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
        if (by === 0 || !good) return;
        event.preventDefault();
        setText(String(Math.min(max, Math.max(min, wanted + by))));
      }} />
  );
}

/** Sizes of the window, in percent, as the core takes them. */
const zooms = Array.from({ length: 11 }, (_, n) => 100 + n * 10);

export function AppearancePage() {
  const { t } = useTranslation("settings");
  const save = useSaveSettings();
  const choices = (settings: Settings) => [...new Set([...zooms, settings.zoom])].sort((a, b) => a - b).map((zoom) => ({ value: String(zoom), label: `${zoom} %` }));
  return (
    <div className={css.lane}>
      <header><h1>{t("page.appearance")}</h1></header>
      <Loaded query={useSettings()}>
        {(settings) => (
          <Group>
            <div id="setting-appearance-theme">
              <GroupRow title={t("appearance.theme")} note={t("appearance.themeNote")}>
                <Segmented label={t("appearance.theme")} value={settings.theme} onChange={(theme) => save.mutate({ theme })}
                  choices={(["system", "light", "dark"] as const).map((value) => ({ value: value as string, label: t(`appearance.${value}`) }))} />
              </GroupRow>
            </div>
            <div id="setting-appearance-zoom">
              <GroupRow title={t("appearance.zoom")} note={t("appearance.zoomNote")}>
                <Select label={t("appearance.zoom")} value={String(settings.zoom)} choices={choices(settings)} onChange={(zoom) => save.mutate({ zoom: Number(zoom) })} />
              </GroupRow>
            </div>
          </Group>
        )}
      </Loaded>
    </div>
  );
}
