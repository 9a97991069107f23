/** The zone that a picture's clock shows: the asker's own, or UTC where it cannot be looked up. */
import { attempt } from '../attempt.ts'
import type { AskPorts } from './query-ports.ts'

/** Never fails: the picture names its zone, so UTC is no lie, and a picture in UTC is better than none. */
export async function zoneFor(
  userId: string,
  { directory, logger }: Pick<AskPorts, 'directory' | 'logger'>,
): Promise<string> {
  const zone = await attempt(() => directory.zoneOf(userId))
  if (zone.ok) return zone.value
  logger.info('zone:unknown', { userId, why: zone.failure.message })
  return 'Etc/UTC'
}
