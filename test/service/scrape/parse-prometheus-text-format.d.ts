/** Brings no types of its own; only what the tests read of it is here. */
declare module 'parse-prometheus-text-format' {
  type Family = {
    readonly name: string
    readonly type: string
    readonly metrics: readonly {
      readonly value: string
      readonly labels?: Readonly<Record<string, string>>
    }[]
  }
  function parse(text: string): readonly Family[]
  export = parse
}
