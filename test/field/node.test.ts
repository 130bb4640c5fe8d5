import { node } from "./ecosystems/node.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(node);
