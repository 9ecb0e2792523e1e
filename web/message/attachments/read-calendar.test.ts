import fc from "fast-check";
import { expect, test } from "vitest";
import { readCalendar } from "./read-calendar.ts";

const invitation = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "METHOD:REQUEST",
  "BEGIN:VEVENT",
  "UID:1",
  "SUMMARY:Planning\\, part 1",
  "DTSTART;TZID=Europe/Berlin:20261201T100000",
  "DTEND;TZID=Europe/Berlin:20261201T110000",
  "RRULE:FREQ=SECONDLY;COUNT=1000000000",
  "LOCATION:Room 1",
  "ORGANIZER;CN=Mara:mailto:mara@example.com",
  "ATTENDEE;CN=Ola;PARTSTAT=ACCEPTED:mailto:ola@example.com",
  "ATTENDEE:mailto:kim@example.com",
  "DESCRIPTION:First line\\nsecond line",
  "STATUS:CONFIRMED",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\r\n");

test("reads an invitation, with its times as written", () => {
  expect(readCalendar(invitation)).toEqual({
    method: "REQUEST",
    events: [
      {
        summary: "Planning, part 1",
        start: { text: "2026-12-01 10:00:00", zone: "Europe/Berlin", instant: null },
        end: { text: "2026-12-01 11:00:00", zone: "Europe/Berlin", instant: null },
        duration: null,
        location: "Room 1",
        organizer: "Mara <mara@example.com>",
        attendees: [
          { name: "Ola <ola@example.com>", status: "ACCEPTED" },
          { name: "kim@example.com", status: "NEEDS-ACTION" },
        ],
        omittedCount: 0,
        recurrence: "FREQ=SECONDLY;COUNT=1000000000",
        status: "CONFIRMED",
        description: "First line\nsecond line",
      },
    ],
  });
});

test("reads times in UTC, whole days and durations", () => {
  const event = (lines: string) =>
    readCalendar(`BEGIN:VCALENDAR\nBEGIN:VEVENT\n${lines}\nEND:VEVENT\nEND:VCALENDAR`).events[0];
  expect(event("DTSTART:20261201T100000Z\nDURATION:PT1H")).toMatchObject({
    start: { instant: "2026-12-01T10:00:00Z" },
    end: null,
    duration: "PT1H",
  });
  expect(event("DTSTART;VALUE=DATE:20261201")).toMatchObject({ start: { text: "2026-12-01", instant: null } });
});

test("lists a bounded number of events and attendees", () => {
  const attendees = "ATTENDEE:mailto:a@b.example\n".repeat(60);
  const events = `BEGIN:VEVENT\n${attendees}END:VEVENT\n`.repeat(30);
  const calendar = readCalendar(`BEGIN:VCALENDAR\n${events}END:VCALENDAR`);
  expect(calendar.events).toHaveLength(20);
  expect(calendar.events[0]).toMatchObject({ omittedCount: 10 });
  expect(calendar.events[0]?.attendees).toHaveLength(50);
});

test("returns a calendar or throws an error, for any text", () => {
  const lines = invitation.split("\r\n");
  const line = fc.oneof(fc.constantFrom(...lines), fc.string({ maxLength: 20 }));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (some) => {
      try {
        expect(readCalendar(some.join("\r\n")).events.length).toBeLessThanOrEqual(20);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});
