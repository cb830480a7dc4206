export const name = "lazy";
