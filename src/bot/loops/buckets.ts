/**
 * How fast Slack may be called: one new message a second and channel, and one bucket of edits for the whole workspace, of which a
 * little is kept for what a person just did. A method that Slack limits rests for as long as Slack says (docs/slack.md#rate-limits).
 */
import { minute, second } from '../clock.ts'

const postEveryMs = second
/** A call that hangs must not keep its channel silent. */
const postsUnderWayMax = 3
/** `chat.update` takes 50 a minute: a full bucket and a minute's refill together stay below. */
const editsInBucket = 8
const editsPerMinute = 42
const editsForPeople = 3

export type Buckets = ReturnType<typeof openBuckets>

export function openBuckets(startMs: number) {
  const lanes = new Map<string, { nextMs: number; underWay: number }>()
  let edits = editsInBucket
  let filledMs = startMs
  let postsRestMs = 0
  let editsRestMs = 0

  function laneOf(channel: string) {
    const lane = lanes.get(channel) ?? { nextMs: 0, underWay: 0 }
    lanes.set(channel, lane)
    return lane
  }

  function fill(nowMs: number): void {
    edits = Math.min(editsInBucket, edits + ((nowMs - filledMs) * editsPerMinute) / minute)
    filledMs = nowMs
  }

  return {
    /** When a new message may go to the channel; null while too many of its calls are under way. */
    postAtMs(channel: string): number | null {
      const lane = laneOf(channel)
      return lane.underWay >= postsUnderWayMax ? null : Math.max(lane.nextMs, postsRestMs)
    },
    takePost(channel: string, nowMs: number): void {
      laneOf(channel).nextMs = nowMs + postEveryMs
    },
    /** A call to the channel begins; the answer is called when it ends. */
    beginPost(channel: string): () => void {
      const lane = laneOf(channel)
      lane.underWay += 1
      return () => {
        lane.underWay -= 1
      }
    },
    /** When an edit may go. */
    editAtMs(isOfPerson: boolean, nowMs: number): number {
      fill(nowMs)
      const missing = 1 + (isOfPerson ? 0 : editsForPeople) - edits
      return Math.max(nowMs + Math.ceil((Math.max(missing, 0) * minute) / editsPerMinute), editsRestMs)
    },
    takeEdit(nowMs: number): void {
      fill(nowMs)
      edits -= 1
    },
    restPosts(untilMs: number): void {
      postsRestMs = Math.max(postsRestMs, untilMs)
    },
    restEdits(untilMs: number): void {
      editsRestMs = Math.max(editsRestMs, untilMs)
    },
  }
}
