/**
 * The remark that a service adds to the title of an alert that is silenced or inhibited there: "disk full (silenced by ana until
 * 15:04 UTC)".
 */
const remark = / \((?:silenced|inhibited)\b[^()]*\)$/

/** The title without the remark, which comes and goes while the alert is open. */
export function withoutRemark(title: string): string {
  return title.replace(remark, '')
}
