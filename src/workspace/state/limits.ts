/**
 * Slack's rate limits (slack-facts 3.1): per method in windows of one minute, and per channel about one post a second
 * with short bursts. Slack publishes "at least" figures and no bursts; here a window admits exactly the published
 * figure, all at once if so wanted, and a channel holds back five posts' worth of burst.
 */

/** How often a method may be called: Slack's tiers, or `special`, for which the method's own figure counts. */
export type Tier = 1 | 2 | 3 | 4 | 'special' | 'posts' | 'none'

export type Limits = {
  /** Calls a minute and method, by tier. */
  readonly tier1: number
  readonly tier2: number
  readonly tier3: number
  readonly tier4: number
  readonly special: number
  /** `chat.postMessage` a minute, all channels together. */
  readonly posts: number
  /** `chat.postMessage` in one channel: how many a second in the long run, and how many at once. */
  readonly channelPerSecond: number
  readonly channelBurst: number
}

export const slackLimits: Limits = {
  tier1: 1,
  tier2: 20,
  tier3: 50,
  tier4: 100,
  special: 300,
  posts: 300,
  channelPerSecond: 1,
  channelBurst: 5,
}

/** `slack` is `slackLimits`, `off` admits everything, numbers replace single figures. */
export type LimitsAsk = 'slack' | 'off' | { readonly [Figure in keyof Limits]?: number | undefined }

const windowMs = 60_000
/** A caller that waits exactly as long as `Retry-After` says is admitted, whatever the fractions of seconds add up to. */
const tolerance = 1e-6

export function openLimiter(nowMs: () => number, first: LimitsAsk) {
  const windows = new Map<string, { startMs: number; count: number }>()
  const channels = new Map<string, { posts: number; atMs: number }>()
  let limits: Limits | 'off' = 'off'

  function set(ask: LimitsAsk): void {
    limits = ask === 'off' ? 'off' : figuresOf(ask === 'slack' ? {} : ask)
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
      if (limits === 'off' || tier === 'none') return undefined
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

function perMinute(limits: Limits, tier: Exclude<Tier, 'none'>): number {
  if (tier === 'special' || tier === 'posts') return limits[tier]
  return limits[`tier${tier}`]
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}

/** Those that were not given are Slack's. */
function figuresOf(ask: Exclude<LimitsAsk, string>): Limits {
  const given = Object.entries(ask).filter(([, figure]) => figure !== undefined)
  return { ...slackLimits, ...Object.fromEntries(given) }
}
