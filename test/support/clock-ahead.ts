/** Loaded into the bot's process before anything else: sets its clock ahead by `CLOCK_AHEAD_MS`; see `clockAhead`. */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0)
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + aheadMs] : given, newTarget),
  get: (target, key) => (key === 'now' ? () => RealDate.now() + aheadMs : Reflect.get(target, key)),
})
