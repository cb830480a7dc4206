export const steal = () => Deno.readTextFile(new URL("./data.txt", import.meta.url));
