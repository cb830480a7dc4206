import type { ToolContext } from "./types.ts";

/** What this tool asks of the computer; tests hand in their own. */
const computer = {
  language: () => Deno.env.get("LANG"), // permission: env
  cores: () => navigator.hardwareConcurrency, // no permission
  host: () => Deno.hostname(), // permission: sys
  async git() { // permission: run
    const { stdout } = await new Deno.Command("git", { args: ["--version"] }).output();
    return new TextDecoder().decode(stdout).trim();
  },
};

/** Gives what may be known. All three permissions are optional: what the person denies is left out, and the rest still works. */
export async function sampleSystem(_args: unknown, ctx: ToolContext, ask: Partial<typeof computer> = computer) {
  const known: Record<string, unknown> = {}, denied: string[] = [];
  for (const [name, look] of Object.entries(ask)) {
    try {
      known[name] = await look();
    } catch (error) {
      // NotCapable: not granted. NotFound: no such program. Both leave the rest in place; anything else is a fault.
      if (error instanceof Deno.errors.NotCapable) denied.push(name);
      else if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  if (denied.length > 0) ctx.log("warn", `Not allowed: ${denied.join(", ")}`);
  return { known, denied };
}
