/** A file keeps to what every memory keeps to. */
import { memoryStore } from '../../support/memory-store.ts'
import { storeContract } from './contract/contract.ts'

storeContract(memoryStore)
