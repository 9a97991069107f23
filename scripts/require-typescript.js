// Plain JavaScript, run before each script that starts the sources: a Node that cannot read them says so in a sentence.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isOld = major < 22 || (major === 22 && minor < 19)
if (isOld || !process.features.typescript) {
  const why = isOld ? 'is too old' : 'was built or started without TypeScript'
  process.stderr.write(
    `This clone is TypeScript, and Node ${process.versions.node} ${why}: use Node 22.19 or newer, or \`npm ci\` without --omit=dev, which brings one along.\n`,
  )
  process.exit(78)
}
