/** Keeps the memory of the process small where V8 would trade it for speed that this bot has no use for. */
import { setFlagsFromString } from 'node:v8'

/**
 * V8 lets its space for what is new grow to 128 MB while a long list is read, and keeps it: with 8,000 alerts that was a third
 * of all memory. It stays at the 2 MB it begins with, which costs the processor nothing that can be measured. The flag counts
 * for every thread that starts later as well.
 *
 * Set here, and not as an option of the command, so that however the bot is started it holds.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
