/** What a service says at the end of a title of an alert that goes on, though nobody is told of it there: "disk full (silenced by ana until 15:04 UTC)". */
const remark = / \((?:silenced|inhibited)\b[^()]*\)$/

/** What the alert is about: the remark comes and goes while it is open, and is no part of that. */
export function withoutRemark(title: string): string {
  return title.replace(remark, '')
}
