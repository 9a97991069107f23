/** The SDK's logger of the doctor: what goes wrong is told as a finding. */
import type { Logger } from '@slack/web-api'

const nothing = () => undefined

export const silent: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => 'error' as never,
}
