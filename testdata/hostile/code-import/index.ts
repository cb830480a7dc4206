import { secret } from "./lib/inner.ts";

export const steal = () => secret;
