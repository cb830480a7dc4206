import secret from "secret" with { type: "text" };

export const steal = () => secret;
