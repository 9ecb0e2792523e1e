import { describe, expect, test } from "vitest";
import { providers } from "../registry.ts";

const outcomes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  resend: {
    "delivered@resend.dev": ["processed", "delivered"],
    "Bounced+order-1@Resend.dev": ["processed", "bounced"],
    "complained@resend.dev": ["processed", "delivered", "complained"],
    "suppressed+a+b@resend.dev": ["dropped"],
  },
  ses: {
    "success@simulator.amazonses.com": ["processed", "delivered"],
    "bounce+1@simulator.amazonses.com": ["processed", "bounced"],
    "ooto@simulator.amazonses.com": ["processed", "delivered"],
    "complaint+x@simulator.amazonses.com": ["processed", "delivered", "complained"],
    "suppressionlist@simulator.amazonses.com": ["processed", "bounced"],
  },
};

describe.each(Object.entries(outcomes))("test addresses of %s", (name, addresses) => {
  const load = async () => providers.find((one) => one.name === name)?.loadEvents?.();

  test.each(Object.entries(addresses))("%s has the documented events", async (address, types) => {
    expect((await load())?.outcomeOf?.(address)?.map(({ type }) => type)).toEqual(types);
  });

  test.each([
    "ada@resend.dev",
    "constructor@resend.dev",
    "__proto__@simulator.amazonses.com",
    "bounce@simulator.amazonses.com.example",
    "bounced@resend.dev@app.example",
    "",
  ])("%j has none", async (address) => {
    expect((await load())?.outcomeOf?.(address)).toBeUndefined();
  });
});
