import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Tests wait for what they look at, not for a time; a busy machine of two cores takes its own.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 60_000 });

afterEach(cleanup);
