import { deepEqual, equal, match, throws } from "node:assert/strict";
import { getDatetime } from "./datetime.ts";
import { mockContext } from "./mock.ts";

const now = new Date("2027-01-31T23:30:05Z");
const english = () => mockContext({ getChatContext: () => ({ userMessage: "", sessionId: null, locale: "en-US" }) });

Deno.test("the time elsewhere may be another day", () => {
  const { ctx, progress } = english();
  const { formatted, ...rest } = getDatetime({ timezone: "Asia/Tokyo" }, ctx, now);
  deepEqual(rest, {
    date: "2027-02-01", time: "08:30:05", weekday: "Monday", timezone: "Asia/Tokyo", offset: "+09:00", utc: "2027-01-31T23:30:05.000Z",
  });
  match(formatted, /^Monday, February 1, 2027/);
  equal(progress.at(-1), 1);
});

Deno.test("midnight is hour 0, and UTC has an offset", () => {
  const { time, offset } = getDatetime({ timezone: "UTC" }, english().ctx, new Date("2027-01-01T00:00:00Z"));
  deepEqual([time, offset], ["00:00:00", "+00:00"]);
});

Deno.test("the written form follows the locale asked for", () => {
  match(getDatetime({ timezone: "Europe/Madrid", locale: "es-ES" }, english().ctx, now).formatted, /^lunes, 1 de febrero de 2027/);
});

Deno.test("an unknown zone is refused in words", () => {
  throws(() => getDatetime({ timezone: "Mars/Olympus" }, english().ctx, now), /"Mars\/Olympus"/);
});
