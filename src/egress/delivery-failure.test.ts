import { describe, expect, test } from "vitest";
import { classifyFailure, DeliveryFailure, type DeliveryStage } from "./delivery-failure.ts";

describe("DeliveryFailure", () => {
  test.each<[DeliveryStage, number | null, "retry" | "fail"]>([
    ["connect", null, "retry"],
    ["connect", 421, "retry"],
    ["connect", 554, "retry"],
    ["tls", null, "retry"],
    ["tls", 454, "retry"],
    ["tls", 502, "retry"],
    ["login", 535, "retry"],
    ["login", 454, "retry"],
    ["login", null, "retry"],
    ["mail", 451, "retry"],
    ["mail", 530, "retry"],
    ["mail", 553, "fail"],
    ["recipient", 450, "retry"],
    ["recipient", 503, "retry"],
    ["recipient", 550, "fail"],
    ["recipient", 500, "fail"],
    ["recipient", 599, "fail"],
    ["data", 452, "retry"],
    ["data", 499, "retry"],
    ["data", 552, "fail"],
    ["data", 554, "fail"],
    ["data", null, "retry"],
    ["data", 250, "retry"],
    ["unknown", null, "retry"],
    ["unknown", 550, "retry"],
  ])("classifies a failure at %s with reply %s: %s", (stage, replyCode, verdict) => {
    expect(classifyFailure({ stage, replyCode, isLocalRefusal: false })).toBe(verdict);
  });

  test("fails permanently after a local refusal", () => {
    expect(classifyFailure({ stage: "mail", replyCode: null, isLocalRefusal: true })).toBe("fail");
  });

  test("has one line of at most 500 characters", () => {
    const failure = new DeliveryFailure(`550-no\r\n550 ${"x".repeat(600)}`, {
      stage: "data",
      replyCode: 550,
      isLocalRefusal: false,
    });
    expect(failure.message).toHaveLength(500);
    expect(failure.message).toMatch(/^550-no 550 x+$/);
    expect(failure.verdict).toBe("fail");
  });
});
