/** The demo's key and tokens: new each time, passed in the environment and never printed. */
import { randomBytes } from 'node:crypto'

export function makeSecrets(): { apiKey: string; botToken: string; appToken: string } {
  const random = () => randomBytes(18).toString('base64url')
  return { apiKey: random(), botToken: `xoxb-${random()}`, appToken: `xapp-${random()}` }
}
