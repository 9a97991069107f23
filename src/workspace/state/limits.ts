/**
 * Slack's rate limits (docs/slack.md#rate-limits): per method in windows of one minute, and per channel about one post a second
 * with short bursts. Slack publishes "at least" figures and no bursts; here a window admits exactly the published
 * figure, all at once if so wanted, and a channel holds back five posts' worth of burst.
 */
import { z } from 'zod'

/** How often a method may be called: Slack's tiers, or `special`, for which the method's own figure counts. */
export type Tier = 1 | 2 | 3 | 4 | 'special' | 'posts'

export const slackLimits = {
  /** Calls a minute and method, by tier. */
  tier1: 1,
  tier2: 20,
  tier3: 50,
  tier4: 100,
  special: 300,
  /** `chat.postMessage` a minute, all channels together. */
  posts: 300,
  /** `chat.postMessage` in one channel: how many a second in the long run, and how many at once. */
  channelPerSecond: 1,
  channelBurst: 5,
}
export type Limits = typeof slackLimits
const figures = Object.keys(slackLimits) as readonly (keyof Limits)[]

/** `slack` is `slackLimits`, `off` admits everything, numbers replace single figures. */
export const limitsShape = z.union([
  z.enum(['slack', 'off']),
  z
    .partialRecord(z.enum(figures), z.number().positive())
    .refine(({ channelBurst = 1 }) => channelBurst >= 1, 'channelBurst: expected at least 1'),
])
export type LimitsAsk = z.input<typeof limitsShape>

const windowMs = 60_000
/** A caller that waits exactly as long as `Retry-After` says is admitted, whatever the fractions of seconds add up to. */
const tolerance = 1e-6

export function openLimiter(nowMs: () => number, first: LimitsAsk) {
  const windows = new Map<string, { startMs: number; count: number }>()
  const channels = new Map<string, { posts: number; atMs: number }>()
  let limits: Limits | 'off' = 'off'

  function set(ask: LimitsAsk): void {
    limits = ask === 'off' ? 'off' : { ...slackLimits, ...(ask === 'slack' ? {} : ask) }
    windows.clear()
    channels.clear()
  }
  set(first)

  function windowOf(method: string): { startMs: number; count: number } {
    const known = windows.get(method)
    if (known !== undefined && nowMs() - known.startMs < windowMs) return known
    const fresh = { startMs: nowMs(), count: 0 }
    windows.set(method, fresh)
    return fresh
  }

  function postsLeft(channelId: string, { channelBurst, channelPerSecond }: Limits): number {
    const known = channels.get(channelId)
    if (known === undefined) return channelBurst
    return Math.min(channelBurst, known.posts + ((nowMs() - known.atMs) / 1_000) * channelPerSecond)
  }

  return {
    set,
    /** Undefined when the call is admitted (and counted); otherwise the whole seconds of `Retry-After`, at least 1. */
    retryAfterSeconds({ method, tier, channelId }: { method: string; tier: Tier; channelId?: string }) {
      if (limits === 'off') return undefined
      const window = windowOf(method)
      if (window.count >= perMinute(limits, tier)) return seconds(window.startMs + windowMs - nowMs())
      if (tier === 'posts' && channelId !== undefined) {
        const left = postsLeft(channelId, limits)
        if (left < 1 - tolerance) return seconds(((1 - left) / limits.channelPerSecond) * 1_000)
        channels.set(channelId, { posts: left - 1, atMs: nowMs() })
      }
      window.count += 1
      return undefined
    },
  }
}

function perMinute(limits: Limits, tier: Tier): number {
  if (tier === 'special' || tier === 'posts') return limits[tier]
  return limits[`tier${tier}`]
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
