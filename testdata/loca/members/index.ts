// deno-lint-ignore-file no-explicit-any -- it uses its toolkit as no author would: by name, and with wrong arguments

/** Uses ctx.<member>, such as "memories.get". */
export async function useMember({ member, args }: { member: string; args: unknown[] }, ctx: any) {
  const use = member.split(".").reduce((of, name) => of[name], ctx);
  try {
    return { gave: await use(...args) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export async function hearLong({ characters, language }: { characters: number; language?: string }, ctx: any) {
  try {
    return await ctx.stt.transcribe({ dataB64: "A".repeat(characters), language });
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export async function useMany({ times }: { times: number }, ctx: any) {
  const all = await Promise.allSettled(Array.from({ length: times }, (_, n) => ctx.llm.complete({ prompt: String(n) })));
  const errors = all.flatMap((one) => (one.status === "rejected" ? [one.reason.message] : []));
  return { worked: times - errors.length, errors: [...new Set(errors)] };
}
