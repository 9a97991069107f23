/** The version of monbot, from the package.json that a clone, the package and the image have at their top. */
import { readFileSync } from 'node:fs'

/** Such as `1.0.0`. Of a file in `src/shared`, `dist/shared` or the bundle in `dist/bot`, the top is two folders up. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
