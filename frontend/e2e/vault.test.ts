import { createServer, type Server } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { Portico } from "./portico";

/** The vault where the system has no keyring: a passphrase keeps a model server's key, which nobody sees unless they ask. */
const portico = new Portico();
const key = "sk-e2e-4f1c9a7be02d";
const passphrase = "gravel lantern oboe Tuesday";
/** A model server that asks for a key. */
let server: Server;
let address = "";
const keysSeen: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    keysSeen.push(request.headers.authorization);
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401, { "Content-Type": "application/json" }).end('{"error":{"message":"No key"}}');
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"data":[{"id":"scripted"}]}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
  // No bus, so no keyring.
  process.env.DBUS_SESSION_BUS_ADDRESS = "unix:path=/nonexistent/portico-e2e";
  await portico.start();
});
afterAll(async () => {
  await portico.end();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await portico.picture("e2e-failed");
});

const page = () => portico.page;
async function settings(name: string): Promise<void> {
  await page().keyboard.press("Control+,");
  await page().getByRole("button", { name, exact: true }).click();
  await page().getByRole("heading", { name, level: 1 }).waitFor();
}

it("says that there is no keyring, and lets a passphrase take its place", async () => {
  await settings("Vault");
  await page().getByText("This system has no keyring", { exact: true }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-vault-no-keyring");
  await page().getByRole("button", { name: "Use a passphrase…" }).click();
  const dialog = page().getByRole("dialog");
  await dialog.getByLabel("Passphrase", { exact: true }).fill(passphrase);
  await dialog.getByLabel("The same again").fill(passphrase);
  await page().keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await page().getByText("A passphrase has its key", { exact: true }).waitFor();
});

it("keeps a server's key, which is sent to that server and shown nowhere", async () => {
  await settings("Models");
  await page().getByLabel("Base address").fill(address);
  await page().getByRole("button", { name: "Test" }).click();
  await page().getByText(/refused the key|needs a key|rejected/i).first().waitFor();
  await page().getByLabel("Key", { exact: true }).fill(key);
  await page().getByRole("button", { name: "Test" }).click();
  await page().getByText("It answers, with 1 model.").waitFor();
  await page().getByText("In the vault. It is sent to this server alone.").waitFor();
  expect(keysSeen.at(-1)).toBe(`Bearer ${key}`);
  expect(await page().content()).not.toContain(key);
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-model-key");
});

it("shows the value when it is asked for, and hides it", async () => {
  await settings("Vault");
  const name = new URL(address).host;
  await page().getByRole("button", { name: `Show the value of ${name}` }).click();
  await page().getByText(key, { exact: true }).waitFor();
  await portico.picture("e2e-vault");
  await page().getByRole("button", { name: `Hide the value of ${name}` }).click();
  expect(await page().getByText(key, { exact: true }).count()).toBe(0);
});

it("is closed after a restart, names apart, and opens with its passphrase alone", async () => {
  await portico.restart();
  await settings("Vault");
  await page().getByText("The vault is closed", { exact: true }).waitFor();
  await page().getByText(new URL(address).host, { exact: true }).waitFor();
  const field = page().getByLabel("Passphrase", { exact: true });
  await field.fill("not the passphrase");
  await page().keyboard.press("Enter");
  await page().getByText("That is not the vault's passphrase.", { exact: true }).waitFor();
  expect(await portico.barriers()).toEqual([]);
  await portico.picture("e2e-vault-closed");
  await field.fill(passphrase);
  await page().keyboard.press("Enter");
  await page().getByText("A passphrase has its key", { exact: true }).waitFor();
});

it("is begun anew when the passphrase is forgotten, and says where the one before is kept", async () => {
  await portico.restart();
  await settings("Vault");
  await page().getByRole("button", { name: "Forgotten?" }).click();
  const dialog = page().getByRole("dialog");
  await dialog.getByRole("radio", { name: "A passphrase" }).click();
  await dialog.getByLabel("Passphrase", { exact: true }).fill("another five words entirely");
  await dialog.getByLabel("The same again").fill("another five words entirely");
  await dialog.getByRole("button", { name: "Start a new vault" }).click();
  const kept = await page().getByText(/vault-[0-9a-f]{16}\.json/).innerText();
  expect(readFileSync(/\S*vault-[0-9a-f]{16}\.json/.exec(kept)![0], "utf8")).toContain('"keptIn": "passphrase"');
  await page().getByText("Nothing in it yet").waitFor();
  await portico.picture("e2e-vault-anew");
});

it("left the key in no file, and complained about nothing", () => {
  const files = readdirSync(portico.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(key), file.name).toBe(false);
  expect(portico.complaints).toEqual([]);
});
