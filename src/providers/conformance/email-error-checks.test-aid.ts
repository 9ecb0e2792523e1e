/** Checks of the errors of mail providers. */
import fc from "fast-check";
import { expect } from "vitest";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import { accepted, call, expectError, options, send, type EmailCheck } from "./email-check.test-aid.ts";
import { rejectionNames } from "./samples.test-aid.ts";
import { minimalSample } from "./sample-emails.test-aid.ts";
import { memoryServices, validKey } from "./services.test-aid.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const requestProblems: readonly ProblemCode[] = [
  "unauthenticated",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "invalid_request",
  "body_too_large",
  "message_too_large",
  "unsupported_media_type",
  "too_many_requests",
  "limit_reached",
];

/** Checks of errors, and of provider ids. */
export const errorChecks: readonly EmailCheck[] = [
  {
    title: "rejects an unknown and a missing key with 401 or 403",
    run: async (subject) => {
      const request = subject.samples.send(minimalSample, { key: "wrong" });
      for (const one of [request, { ...request, key: null }]) {
        const sent = await call(subject, one);
        expectError(subject, sent);
        expect([401, 403]).toContain(sent.response.status);
      }
    },
  },
  {
    title: "rejects invalid requests with its own errors and stores nothing",
    run: async (subject) => {
      const { samples } = subject;
      const rejected = samples.rejected(validKey);
      const { withoutRejections = {} } = samples;
      const missing = rejectionNames.filter((name) => !(name in rejected) && !(name in withoutRejections));
      expect(missing).toEqual([]);
      const expected = Object.entries(rejected).map(([name, { error }]) => [name, error, 0]);
      const actual = Object.entries(rejected).map(async ([name, { request }]) => {
        const { response, memory } = await call(subject, request);
        return [name, samples.errorOf(response), memory.emails.length];
      });
      expect(await Promise.all(actual)).toEqual(expected);
    },
  },
  {
    title: "has an error for recipients without a server",
    run: async (subject) => {
      expectError(subject, await send(subject, minimalSample, memoryServices({ refusal: "no_server" })));
    },
  },
  {
    title: "has errors for problems of the request that no endpoint handles",
    run: async (subject) => {
      const context = subject.samples.send(minimalSample, options);
      for (const code of requestProblems) {
        const response = subject.provider.errorResponse(new Problem(code), context);
        expect([code, response.status >= 400 && response.status < 500]).toEqual([code, true]);
        expect([code, subject.samples.errorOf(response)]).not.toEqual([code, null]);
      }
    },
  },
  {
    title: "has errors for wrong methods and unknown paths",
    run: async (subject) => {
      const request = subject.samples.send(minimalSample, options);
      const method = (["DELETE", "PATCH", "PUT"] as const).find(
        (one) => !subject.provider.endpoints.some(({ method: own }) => own === one),
      );
      expectError(subject, await call(subject, { ...request, path: "/no/such/path" }));
      if (method !== undefined) expectError(subject, await call(subject, { ...request, method }));
    },
  },
  {
    title: "returns the UUID of any provider id, and nothing for other text",
    run: async (subject) => {
      const { identify } = accepted(subject, await send(subject, minimalSample));
      const { uuidOf } = subject.support;
      fc.assert(
        fc.property(fc.uuid(), (uuid) => {
          expect(uuidOf(identify(uuid).providerId)).toBe(uuid);
        }),
      );
      const ids = fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.base64String());
      fc.assert(
        fc.property(ids, (id) => {
          expect(uuidOf(id)).toMatch(/^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/);
        }),
      );
    },
  },
];
