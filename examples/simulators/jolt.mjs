// SPDX-License-Identifier: GPL-3.0-or-later
/* Adapter of Jolt Physics (MIT, https://github.com/jrouwe/JoltPhysics.js) in single precision: a soft body of vertices
 * and edge constraints.
 *
 * stiffness   Jolt has its inverse: SoftBodySharedSettingsEdge.mCompliance = 1/k in m/N.
 * damping     edges have none. mLinearDamping acts on vertices; its default 0.1 /s is set to 0.
 * simulator_options
 *   iterations=5   mNumIterations, Jolt's default: a step is that many substeps of XPBD with one pass each */
import initJolt from "jolt-physics";
import { readNet } from "./net.mjs";

const SPEED_MAX = 1e9; // m/s; Jolt's default cuts velocities at 500
const net = readNet({ iterations: 5 });
const Jolt = await initJolt();

const settings = new Jolt.JoltSettings();
settings.mMaxWorkerThreads = 0;
settings.mObjectLayerPairFilter = new Jolt.ObjectLayerPairFilterTable(1); // no layer collides
const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
settings.mBroadPhaseLayerInterface = layers;
settings.mObjectVsBroadPhaseLayerFilter =
  new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, settings.mObjectLayerPairFilter, 1);
const jolt = new Jolt.JoltInterface(settings);
jolt.GetPhysicsSystem().SetGravity(new Jolt.Vec3(...net.gravity));

const shared = new Jolt.SoftBodySharedSettings();
const vertex = new Jolt.SoftBodySharedSettingsVertex();
for (let i = 0; i < net.vertices; ++i) {
  vertex.mPosition = new Jolt.Float3(...net.at(i));
  vertex.mVelocity = new Jolt.Float3(...net.velocityAt(i));
  vertex.mInvMass = net.pinned[i] ? 0 : 1 / net.mass[i];
  shared.mVertices.push_back(vertex);
}
for (let s = 0; s < net.springs; ++s) {
  const edge = new Jolt.SoftBodySharedSettingsEdge(net.ends[2 * s], net.ends[2 * s + 1], 1 / net.stiffness[s]);
  edge.mRestLength = net.rest_length[s];
  shared.mEdgeConstraints.push_back(edge);
}
shared.Optimize();

const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), new Jolt.Quat(0, 0, 0, 1), 0);
creation.mNumIterations = net.own.iterations;
creation.mLinearDamping = 0;
creation.mMaxLinearVelocity = SPEED_MAX;
creation.mUpdatePosition = false; // vertices stay relative to the origin
creation.mAllowSleeping = false;
const bodies = jolt.GetPhysicsSystem().GetBodyInterface();
const body = bodies.CreateSoftBody(creation);
bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
const moving = Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties);

net.run(
  () => jolt.Step(net.h, 1),
  (x, v) => {
    for (let i = 0; i < net.vertices; ++i) {
      const [place, speed] = [moving.GetVertex(i).mPosition, moving.GetVertex(i).mVelocity];
      x.set([place.GetX(), place.GetY(), place.GetZ()], 3 * i);
      v.set([speed.GetX(), speed.GetY(), speed.GetZ()], 3 * i);
    }
  },
);
