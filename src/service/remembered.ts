/** The same function, which makes each value once, and forgets all of them after so many. */
export function remembered<Value>(max: number, make: (text: string) => Value): (text: string) => Value {
  const kept = new Map<string, Value>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined || kept.has(text)) return known as Value
    const value = make(text)
    if (kept.size >= max) kept.clear()
    kept.set(text, value)
    return value
  }
}
