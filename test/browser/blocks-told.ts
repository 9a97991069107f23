/** What the elements of the gallery told, held against what the workspace's control API takes. */
import { expect } from 'vitest'
import { choose, elementsIn } from '../../src/workspace/people/elements.ts'
import type { Action, Gallery } from './blocks-stage.ts'

/** Waits for these actions, exactly, and asks the workspace whether the elements offer what was chosen. */
export async function expectTold(
  gallery: Gallery,
  blocks: readonly object[],
  expected: readonly Action[],
): Promise<void> {
  await expect.poll(() => gallery.actions()).toEqual(expected)
  for (const { actionId, blockId, choice } of await gallery.actions()) {
    const element = elementsIn(blocks).find((one) => one.actionId === actionId && one.blockId === blockId)
    expect(element, actionId).toBeDefined()
    if (element !== undefined) {
      const taken = () => choose(element, (choice ?? null) as Parameters<typeof choose>[1])
      expect(taken, JSON.stringify(choice)).not.toThrow()
    }
  }
}
