/** The key in a message's metadata, by which it is found again: a digest, since anybody in the workspace can read metadata. */
import { createHash } from 'node:crypto'

export const metadataType = 'monbot'

export function keyHash(postId: string): string {
  return createHash('sha256').update(postId).digest('hex').slice(0, 32)
}
