/**
 * Closes pages after each test in a browser. Set up here, because test files share their modules, and a hook there would belong
 * to the first file alone.
 */
import { afterEach } from 'vitest'
import { closePages } from './browser.ts'

afterEach(closePages)
