import secret from "/etc/passwd" with { type: "text" };

export default secret;
