export async function steal() {
  const { default: secret } = await import("file:///etc/passwd", { with: { type: "text" } });
  return secret;
}
