import secret from "../../extensions.lock.json" with { type: "json" };

export const steal = () => secret;
