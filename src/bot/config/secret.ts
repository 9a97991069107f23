/** A secret value: every usual way to print it gives `[secret]`, and only `reveal()` returns it. */
import { inspect } from 'node:util'

const mask = '[secret]'

export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself; call it only where it leaves the process. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return mask
  }

  toJSON(): string {
    return mask
  }

  [inspect.custom](): string {
    return mask
  }
}
