/** Calendars in the shape that Google, Outlook and PagerDuty export, with their zones, folded lines and properties of their own. */

/** Lines as a file has them: CRLF, and folded at 75 bytes. */
export function fileOf(lines: string): string {
  const folded = lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const parts: string[] = []
      let rest = line
      while (Buffer.byteLength(rest) > 75) {
        let cut = 74
        while (Buffer.byteLength(rest.slice(0, cut)) > 74) cut -= 1
        parts.push(rest.slice(0, cut))
        rest = ` ${rest.slice(cut)}`
      }
      return [...parts, rest]
    })
  return `${folded.join('\r\n')}\r\n`
}

export const berlin = `BEGIN:VTIMEZONE
TZID:Europe/Berlin
X-LIC-LOCATION:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:GMT+2
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:GMT+1
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE`

/** As Outlook defines it: a name of Windows, and rules since 1601. */
export function outlookZone(tzid: string): string {
  return `BEGIN:VTIMEZONE
TZID:${tzid}
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE`
}

let uids = 0

export function event(lines: string): string {
  uids += 1
  const uid = /^UID:/m.test(lines) ? '' : `UID:${uids}abc@google.com\n`
  const sequence = /^SEQUENCE:/m.test(lines) ? '' : 'SEQUENCE:0\n'
  return `BEGIN:VEVENT
DTSTAMP:20260301T080000Z
${uid}${lines.trim()}
${sequence}TRANSP:OPAQUE
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-P0DT0H30M0S
SUMMARY:not the shift
ATTENDEE:mailto:alarm@example.com
END:VALARM
END:VEVENT`
}

export function google(events: readonly string[], zone = 'Europe/Berlin'): string {
  return fileOf(`BEGIN:VCALENDAR
PRODID:-//Google Inc//Google Calendar 70.9054//EN
VERSION:2.0
CALSCALE:GREGORIAN
METHOD:PUBLISH
X-WR-CALNAME:On call
X-WR-TIMEZONE:${zone}
${[berlin, ...events].join('\n')}
END:VCALENDAR`)
}

export function outlook(events: readonly string[], tzid = 'W. Europe Standard Time'): string {
  return fileOf(`BEGIN:VCALENDAR
METHOD:PUBLISH
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
X-WR-CALNAME:On call
${[outlookZone(tzid), ...events].join('\n')}
END:VCALENDAR`)
}

export function pagerDuty(events: readonly string[]): string {
  return fileOf(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//PagerDuty//NONSGML On Call Schedule//EN
METHOD:PUBLISH
CALSCALE:GREGORIAN
X-WR-CALNAME:On Call Schedule for Primary
REFRESH-INTERVAL;VALUE=DURATION:PT1H
X-PUBLISHED-TTL:PT1H
${events.join('\n')}
END:VCALENDAR`)
}
