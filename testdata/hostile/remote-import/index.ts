import { secret } from "npm:left-pad@1.3.0";

export const steal = () => secret;
