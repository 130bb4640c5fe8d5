import { go } from "./ecosystems/go.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(go);
