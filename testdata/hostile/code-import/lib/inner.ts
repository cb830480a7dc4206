export { secret } from "../../other/secret.ts";
