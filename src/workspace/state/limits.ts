/** Slack's rate limits (docs/slack.md#rate-limits). It publishes no bursts: here a window admits its figure at once, a channel five posts. */

export type Tier = 'tier2' | 'tier3' | 'tier4' | 'special' | 'posts'

export const slackLimits = {
  tier2: 20,
  tier3: 50,
  tier4: 100,
  special: 300,
  posts: 300,
  channelPerSecond: 1,
  channelBurst: 5,
}
export type Limits = typeof slackLimits

export type LimitsAsk = 'slack' | 'off' | Partial<Limits>

const windowMs = 60_000
/** A caller that waits exactly as long as `Retry-After` says is admitted, whatever the fractions of seconds add up to. */
const tolerance = 1e-6
const heldSeconds = 10

export function openLimiter(nowMs: () => number, ask: LimitsAsk) {
  const limits = ask === 'off' ? ask : { ...slackLimits, ...(ask === 'slack' ? {} : ask) }
  const windows = new Map<string, { startMs: number; count: number }>()
  const channels = new Map<string, { posts: number; atMs: number }>()
  let heldUntilMs = 0

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
    hold(seconds: number): void {
      heldUntilMs = nowMs() + seconds * 1_000
    },
    heldUntilMs: () => (heldUntilMs > nowMs() ? heldUntilMs : null),
    retryAfterSeconds({ method, tier, channelId }: { method: string; tier: Tier; channelId?: string }) {
      if (tier === 'posts' && heldUntilMs > nowMs()) return heldSeconds
      if (limits === 'off') return undefined
      const window = windowOf(method)
      if (window.count >= limits[tier]) return seconds(window.startMs + windowMs - nowMs())
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

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
