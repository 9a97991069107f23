/** Set up for every file of the browser's stories, which share their modules: a hook there would be the first file's alone. */
import { afterEach } from 'vitest'
import { closePages } from './browser.ts'

afterEach(closePages)
