import secret from "/etc/passwd" with { type: "text" };

export const steal = () => secret;
