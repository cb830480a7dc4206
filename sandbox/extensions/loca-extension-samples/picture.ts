/** A chequered square of 64 by 64 points. Pictures travel as base64, without "data:" in front. */
export const picture = {
  mime: "image/png",
  dataB64:
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAZ0lEQVR42u3ZsQkAIAwEwEzkQO7ids5h7RjOkIAgePD1kyufxF4zlTZ6Krf7AwAAAAAAAAAAAACgDHjtoGw/AAAAAAAAAAAAAEAdYJEBAAAAAAAAAAAA+A9YZAAAAAAAAAAAAADfAQ4wuXmla5NDGwAAAABJRU5ErkJggg==",
};
