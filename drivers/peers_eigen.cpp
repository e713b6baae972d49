/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stand-ins of drivers/peers.h on Eigen. Each class follows the loop of the program it names: its matrices, its
 * number types, its temporaries. Two follow no program, but our own methods (OwnNewton). Where such a program does
 * avoidable work in its loop (a stiffness multiplied into a matrix anew, a constant term computed again), the stand-in
 * does not, so that no ratio is won by that. */
#include "drivers/peers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <Eigen/CholmodSupport>
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace
{
using Eigen::Index;
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3>; /* a vertex a row, columns contiguous: igl's layout */
template <class Scalar> using Sparse = Eigen::SparseMatrix<Scalar>;
template <class Scalar> using Triplets = std::vector<Eigen::Triplet<Scalar>>;
template <class Scalar> using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar> using Vector3 = Eigen::Matrix<Scalar, 3, 1>;

struct Spring {
  int    first, second;
  double stiffness, rest_length;
};

struct Net {
  Points              position, velocity;
  Eigen::VectorXd     mass;
  Eigen::Vector3d     gravity;
  std::vector<int>    pinned;
  std::vector<Spring> springs;
  Points              acceleration; /* gravity, which pinned vertices do not feel */
  double              h, pin_weight;
  bool                inertial;

  explicit Net(const sb_peer_net &net)
      : position(Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(net.position,
                                                                                             Index(net.vertices), 3)),
        velocity(Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(net.velocity,
                                                                                             Index(net.vertices), 3)),
        mass(Eigen::Map<const Eigen::VectorXd>(net.mass, Index(net.vertices))), gravity(net.gravity),
        acceleration(gravity.transpose().replicate(Index(net.vertices), 1)), h(net.h_seconds),
        pin_weight(net.pin_weight), inertial(net.inertial)
  {
    for (size_t i = 0; i < net.vertices; ++i)
      if (net.pinned[i]) pinned.push_back(int(i));
    for (int i : pinned) acceleration.row(i).setZero();
    for (size_t s = 0; s < net.springs; ++s)
      springs.push_back({net.first[s], net.second[s], net.stiffness[s], net.rest_length[s]});
  }
  Index vertices() const { return position.rows(); }
};

template <class Scalar> Vector<Scalar> flattened(const Points &points)
{
  Vector<Scalar> flat(3 * points.rows());
  for (Index i = 0; i < points.rows(); ++i) flat.template segment<3>(3 * i) = points.row(i).transpose().cast<Scalar>();
  return flat;
}

template <class Scalar> Points unflattened(const Vector<Scalar> &flat)
{
  Points points(flat.size() / 3, 3);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) = flat.template segment<3>(3 * i).template cast<double>().transpose();
  return points;
}

/* scale M + h^2 scale (L + w pins), L the springs' Laplacian, over n or over 3n unknowns. */
template <class Scalar> Sparse<Scalar> system_matrix(const Net &net, double scale, int dimensions)
{
  const Index      unknowns = dimensions * net.vertices();
  const double     weight = scale * net.h * net.h;
  Triplets<Scalar> triplets;
  Sparse<Scalar>   matrix(unknowns, unknowns);
  const auto       add = [&](int row, int column, double value) {
    for (int d = 0; d < dimensions; ++d)
      triplets.emplace_back(dimensions * row + d, dimensions * column + d, Scalar(value));
  };

  for (int i = 0; i < int(net.vertices()); ++i) add(i, i, scale * net.mass[i]);
  for (int i : net.pinned) add(i, i, weight * net.pin_weight);
  for (const Spring &s : net.springs) {
    add(s.first, s.first, weight * s.stiffness);
    add(s.second, s.second, weight * s.stiffness);
    add(s.first, s.second, -weight * s.stiffness);
    add(s.second, s.first, -weight * s.stiffness);
  }
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/* Vertices by springs, +1 and -1, over n or over 3n unknowns. */
template <class Scalar> Sparse<Scalar> incidence(const Net &net, int dimensions)
{
  Triplets<Scalar> triplets;
  Sparse<Scalar>   matrix(dimensions * net.vertices(), dimensions * Index(net.springs.size()));

  for (int s = 0; s < int(net.springs.size()); ++s)
    for (int d = 0; d < dimensions; ++d) {
      triplets.emplace_back(dimensions * net.springs[size_t(s)].first + d, dimensions * s + d, Scalar(1));
      triplets.emplace_back(dimensions * net.springs[size_t(s)].second + d, dimensions * s + d, Scalar(-1));
    }
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

Points at_places(const Net &net, Points points)
{
  for (int i : net.pinned) points.row(i) = net.position.row(i);
  return points;
}

Points pull_of_pins(const Net &net)
{
  Points pull = Points::Zero(net.vertices(), 3);
  for (int i : net.pinned) pull.row(i) = net.pin_weight * net.position.row(i);
  return pull;
}
} /* namespace */

struct sb_peer {
  Points position, velocity;
  double h;

  explicit sb_peer(const Net &net) : position(net.position), velocity(net.velocity), h(net.h) {}
  virtual ~sb_peer() = default;
  virtual bool usable() const { return true; }
  virtual bool step(int iterations) = 0;

protected:
  /* Pinned vertices begin every step at their places. */
  Points coasted(const Net &net) const { return at_places(net, position + h * velocity); }
  Points inertial_position(const Net &net) const { return coasted(net) + h * h * net.acceleration; }
  Points first_iterate(const Net &net) const
  {
    return net.inertial ? inertial_position(net) : at_places(net, position);
  }
  void arrive(const Points &next)
  {
    velocity = (next - position) / h;
    position = next;
  }
};

namespace
{
/* Fast mass springs in the framework of Jacobson's course, as ericpko and cuppajoeman write its sparse step: double,
 * n x n, LL^T, three right-hand sides at once. */
struct CourseSparse final : sb_peer {
  const Net                            net;
  Eigen::MatrixXi                      E;
  Eigen::VectorXd                      r; /* stiffness times rest length */
  Sparse<double>                       A, M;
  Eigen::MatrixXd                      constant;
  Eigen::SimplicialLLT<Sparse<double>> prefactorization;

  explicit CourseSparse(const Net &given)
      : sb_peer(given), net(given), E(Index(net.springs.size()), 2), r(Index(net.springs.size())),
        A(incidence<double>(net, 1).transpose()), M(net.vertices(), net.vertices())
  {
    for (Index e = 0; e < E.rows(); ++e) {
      const Spring &s = net.springs[size_t(e)];
      E.row(e) << s.first, s.second;
      r(e) = s.stiffness * s.rest_length;
    }
    Triplets<double> triplets;
    for (int i = 0; i < int(net.vertices()); ++i) triplets.emplace_back(i, i, net.mass[i]);
    M.setFromTriplets(triplets.begin(), triplets.end());
    constant = net.mass.asDiagonal() * net.acceleration + pull_of_pins(net);
    prefactorization.compute(system_matrix<double>(net, 1 / (h * h), 1));
  }
  bool usable() const override { return prefactorization.info() == Eigen::Success; }
  bool step(int iterations) override
  {
    const Eigen::MatrixXd y = (1 / (h * h)) * M * coasted(net) + constant;
    Eigen::MatrixXd       U = first_iterate(net);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      Eigen::MatrixXd d(E.rows(), 3);
      for (Index e = 0; e < E.rows(); ++e) {
        const Eigen::Vector3d p_i = U.row(E(e, 0));
        const Eigen::Vector3d p_j = U.row(E(e, 1));
        d.row(e) = r(e) * (p_i - p_j).normalized();
      }
      const Eigen::MatrixXd b = A.transpose() * d + y;
      U = prefactorization.solve(b);
    }
    arrive(U);
    return true;
  }
};

/* ShapeOp (Deuss et al. 2015): double, n x n, LDL^T, a coordinate at a time, projections by virtual calls. */
struct ShapeOp final : sb_peer {
  using Matrix3X = Eigen::Matrix3Xd;
  struct Constraint {
    std::vector<int> indices;
    int              column;
    double           weight;
    Constraint(std::initializer_list<int> i, int c, double w) : indices(i), column(c), weight(std::sqrt(w)) {}
    virtual ~Constraint() = default;
    virtual void project(const Matrix3X &at, Matrix3X &result) const = 0;
  };
  struct EdgeStrain final : Constraint {
    double rest_length;
    EdgeStrain(const Spring &s, int c) : Constraint({s.first, s.second}, c, s.stiffness), rest_length(s.rest_length) {}
    void project(const Matrix3X &at, Matrix3X &result) const override
    {
      Eigen::Vector3d edge = at.col(indices[1]) - at.col(indices[0]);
      const double    length = edge.norm();
      edge /= length;
      result.col(column) = weight * rest_length * edge;
    }
  };
  struct Closeness final : Constraint {
    Eigen::Vector3d place;
    Closeness(int vertex, int c, double w, const Eigen::Vector3d &p) : Constraint({vertex}, c, w), place(p) {}
    void project(const Matrix3X &, Matrix3X &result) const override { result.col(column) = weight * place; }
  };

  const Net                                net;
  std::vector<std::shared_ptr<Constraint>> constraints;
  Matrix3X                                 projections, points, momentum;
  Sparse<double>                           At, M;
  Eigen::SimplicialLDLT<Sparse<double>>    solver;

  explicit ShapeOp(const Net &given) : sb_peer(given), net(given), momentum(3, net.vertices())
  {
    Triplets<double> triplets, masses;
    int              rows = 0;
    for (const Spring &s : net.springs) {
      constraints.push_back(std::make_shared<EdgeStrain>(s, rows));
      triplets.emplace_back(rows, s.first, -std::sqrt(s.stiffness));
      triplets.emplace_back(rows++, s.second, std::sqrt(s.stiffness));
    }
    for (int i : net.pinned) {
      constraints.push_back(std::make_shared<Closeness>(i, rows, net.pin_weight, net.position.row(i).transpose()));
      triplets.emplace_back(rows++, i, std::sqrt(net.pin_weight));
    }
    for (int i = 0; i < int(net.vertices()); ++i) masses.emplace_back(i, i, net.mass[i] / (h * h));
    Sparse<double> A(rows, net.vertices());
    A.setFromTriplets(triplets.begin(), triplets.end());
    At = A.transpose();
    M.resize(net.vertices(), net.vertices());
    M.setFromTriplets(masses.begin(), masses.end());
    projections.setZero(3, rows);
    solver.compute(Sparse<double>(At * A) + M);
  }
  bool usable() const override { return solver.info() == Eigen::Success; }
  bool step(int iterations) override
  {
    momentum = inertial_position(net).transpose();
    points = first_iterate(net).transpose();
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (const auto &constraint : constraints) constraint->project(points, projections);
      for (int i = 0; i < 3; ++i)
        points.row(i) = solver.solve(At * projections.row(i).transpose() + M * momentum.row(i).transpose()).transpose();
    }
    arrive(points.transpose());
    return true;
  }
};

/* Q-Minh's projective-dynamics: double, 3n x 3n, LDL^T, projections by virtual calls on blocks of any size. */
struct QMinh final : sb_peer {
  struct Constraint {
    std::vector<std::uint32_t> indices;
    double                     weight;
    Constraint(std::initializer_list<std::uint32_t> i, double w) : indices(i), weight(w) {}
    virtual ~Constraint() = default;
    virtual void project(const Eigen::VectorXd &q, Eigen::VectorXd &b) const = 0;
  };
  struct EdgeLength final : Constraint {
    double rest_length;
    explicit EdgeLength(const Spring &s)
        : Constraint({std::uint32_t(s.first), std::uint32_t(s.second)}, 2 * s.stiffness), rest_length(s.rest_length)
    {
    }
    void project(const Eigen::VectorXd &q, Eigen::VectorXd &b) const override
    {
      const Index           i = indices.at(0), j = indices.at(1);
      const Eigen::Vector3d p_i = q.block(3 * i, 0, 3, 1), p_j = q.block(3 * j, 0, 3, 1);
      const Eigen::Vector3d edge = p_j - p_i;
      const double          length = edge.norm(), move = 0.5 * (length - rest_length);
      const Eigen::Vector3d direction = edge / length;
      const Eigen::Vector3d to_i = p_i + move * direction, to_j = p_j - move * direction;
      for (int d = 0; d < 3; ++d) {
        b(3 * i + d) += weight * 0.5 * (to_i(d) - to_j(d));
        b(3 * j + d) += weight * 0.5 * (to_j(d) - to_i(d));
      }
    }
  };
  struct Positional final : Constraint {
    Eigen::Vector3d place;
    Positional(int vertex, double w, const Eigen::Vector3d &p) : Constraint({std::uint32_t(vertex)}, w), place(p) {}
    void project(const Eigen::VectorXd &, Eigen::VectorXd &b) const override
    {
      for (int d = 0; d < 3; ++d) b(3 * Index(indices.at(0)) + d) += weight * place(d);
    }
  };

  const Net                                 net;
  std::vector<std::unique_ptr<Constraint>>  constraints;
  Eigen::SimplicialCholesky<Sparse<double>> factor;

  explicit QMinh(const Net &given) : sb_peer(given), net(given)
  {
    for (const Spring &s : net.springs) constraints.push_back(std::make_unique<EdgeLength>(s));
    for (int i : net.pinned)
      constraints.push_back(std::make_unique<Positional>(i, net.pin_weight, net.position.row(i).transpose()));
    factor.compute(system_matrix<double>(net, 1 / (h * h), 3));
  }
  bool usable() const override { return factor.info() == Eigen::Success; }
  bool step(int iterations) override
  {
    const Eigen::VectorXd sn = flattened<double>(inertial_position(net));
    Eigen::VectorXd       masses(sn.size()), b(sn.size()), q = flattened<double>(first_iterate(net));
    for (Index i = 0; i < net.vertices(); ++i) masses.segment<3>(3 * i) = net.mass[i] / (h * h) * sn.segment<3>(3 * i);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      b.setZero();
      for (const auto &constraint : constraints) constraint->project(q, b);
      b += masses;
      q = factor.solve(b);
    }
    arrive(unflattened(q));
    return true;
  }
};

/* GenPD (Liu, Bouaziz and Kavan 2017): constraints behind pointers, positions one after another in a vector. */
template <class Scalar> struct Element {
  virtual ~Element() = default;
  virtual Scalar energy_and_gradient(const Vector<Scalar> &x, Vector<Scalar> &g) = 0;
  virtual void   hessian(const Vector<Scalar> &x, Triplets<Scalar> &triplets) const = 0;
};

template <class Scalar> struct SpringElement final : Element<Scalar> {
  int             first, second;
  Scalar          stiffness, rest_length, energy = 0;
  Vector3<Scalar> pull;
  explicit SpringElement(const Spring &s)
      : first(s.first), second(s.second), stiffness(Scalar(s.stiffness)), rest_length(Scalar(s.rest_length))
  {
  }
  Vector3<Scalar> along(const Vector<Scalar> &x) const
  {
    return x.template segment<3>(3 * first) - x.template segment<3>(3 * second);
  }
  Scalar energy_and_gradient(const Vector<Scalar> &x, Vector<Scalar> &g) override
  {
    const Vector3<Scalar> edge = along(x);
    const Scalar          length = edge.norm(), stretch = length - rest_length;
    const Vector3<Scalar> direction = edge / length;
    energy = Scalar(0.5) * stiffness * stretch * stretch;
    pull = stiffness * stretch * direction;
    g.template segment<3>(3 * first) += pull;
    g.template segment<3>(3 * second) += -pull;
    return energy;
  }
  /* k (n n^T + max(0, 1 - l0/l) (I - n n^T)). GenPD finds the same by an eigendecomposition a spring, which takes
   * longer than all else at small sizes. */
  void hessian(const Vector<Scalar> &x, Triplets<Scalar> &triplets) const override
  {
    const Vector3<Scalar>             edge = along(x);
    const Scalar                      length = edge.norm(), across = std::max(Scalar(0), 1 - rest_length / length);
    const Eigen::Matrix<Scalar, 3, 3> along_edge = edge * edge.transpose() / (length * length);
    const Eigen::Matrix<Scalar, 3, 3> H =
        stiffness * (along_edge + across * (Eigen::Matrix<Scalar, 3, 3>::Identity() - along_edge));
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) {
        const Scalar value = H(row, column);
        triplets.emplace_back(3 * first + row, 3 * first + column, value);
        triplets.emplace_back(3 * first + row, 3 * second + column, -value);
        triplets.emplace_back(3 * second + row, 3 * first + column, -value);
        triplets.emplace_back(3 * second + row, 3 * second + column, value);
      }
  }
};

template <class Scalar> struct PinElement final : Element<Scalar> {
  int             vertex;
  Scalar          weight;
  Vector3<Scalar> place;
  PinElement(int v, double w, const Eigen::Vector3d &p) : vertex(v), weight(Scalar(w)), place(p.cast<Scalar>()) {}
  Scalar energy_and_gradient(const Vector<Scalar> &x, Vector<Scalar> &g) override
  {
    const Vector3<Scalar> away = x.template segment<3>(3 * vertex) - place;
    g.template segment<3>(3 * vertex) += weight * away;
    return Scalar(0.5) * weight * away.squaredNorm();
  }
  void hessian(const Vector<Scalar> &, Triplets<Scalar> &triplets) const override
  {
    for (int d = 0; d < 3; ++d) triplets.emplace_back(3 * vertex + d, 3 * vertex + d, weight);
  }
};

template <class Scalar> struct Elements : sb_peer {
  const Net                                     net;
  std::vector<std::unique_ptr<Element<Scalar>>> elements;
  Sparse<Scalar>                                mass; /* 3n x 3n */

  explicit Elements(const Net &given) : sb_peer(given), net(given), mass(3 * net.vertices(), 3 * net.vertices())
  {
    for (const Spring &s : net.springs) elements.push_back(std::make_unique<SpringElement<Scalar>>(s));
    for (int i : net.pinned)
      elements.push_back(std::make_unique<PinElement<Scalar>>(i, net.pin_weight, net.position.row(i).transpose()));
    Triplets<Scalar> triplets;
    for (int i = 0; i < int(3 * net.vertices()); ++i) triplets.emplace_back(i, i, Scalar(net.mass[i / 3]));
    mass.setFromTriplets(triplets.begin(), triplets.end());
  }
  /* M (x - y) - h^2 forces, and the energy that it is the gradient of. */
  Scalar energy_and_gradient(const Vector<Scalar> &x, const Vector<Scalar> &y, Vector<Scalar> &g)
  {
    const Scalar inertia = Scalar(0.5) * (x - y).dot(mass * (x - y));
    Scalar       elastic = 0;
    g = Vector<Scalar>::Zero(x.size());
    for (const auto &element : elements) elastic += element->energy_and_gradient(x, g);
    g = mass * (x - y) + Scalar(h * h) * g;
    return inertia + Scalar(h * h) * elastic;
  }
};

/* GenPD's projective dynamics: its L-BFGS without memory and line search, float, n x n, LL^T. */
struct GenPD final : Elements<float> {
  Eigen::SimplicialLLT<Sparse<float>> factor;
  float                               energy = 0;
  explicit GenPD(const Net &given) : Elements<float>(given) { factor.compute(system_matrix<float>(net, 1, 1)); }
  bool usable() const override { return factor.info() == Eigen::Success; }
  bool step(int iterations) override
  {
    const Eigen::VectorXf y = flattened<float>(inertial_position(net));
    Eigen::VectorXf       x = flattened<float>(first_iterate(net));
    for (int iteration = 0; iteration < iterations; ++iteration) {
      Eigen::VectorXf g;
      energy = energy_and_gradient(x, y, g);
      Eigen::Matrix<float, Eigen::Dynamic, 3> rhs(x.size() / 3, 3), r;
      for (Index i = 0; i < rhs.rows(); ++i) rhs.row(i) = g.segment<3>(3 * i).transpose();
      r = factor.solve(rhs);
      for (Index i = 0; i < rhs.rows(); ++i) x.segment<3>(3 * i) -= r.row(i).transpose();
    }
    arrive(unflattened(x));
    return true;
  }
};

/* sam007961's FastMassSpring: float, 3n x 3n, LL^T, an explicit matrix J. */
struct FastMassSpring final : sb_peer {
  const Net                           net;
  Sparse<float>                       M, J;
  Eigen::VectorXf                     fext, rest_lengths, directions;
  std::vector<std::pair<int, int>>    spring_list;
  Eigen::SimplicialLLT<Sparse<float>> factor;

  explicit FastMassSpring(const Net &given)
      : sb_peer(given), net(given), M(3 * net.vertices(), 3 * net.vertices()), J(incidence<float>(net, 3)),
        rest_lengths(Index(net.springs.size())), directions(3 * Index(net.springs.size()))
  {
    Triplets<float> triplets;
    for (int i = 0; i < int(3 * net.vertices()); ++i) triplets.emplace_back(i, i, float(net.mass[i / 3]));
    M.setFromTriplets(triplets.begin(), triplets.end());
    fext = flattened<float>(net.mass.asDiagonal() * net.acceleration + pull_of_pins(net));
    for (const Spring &s : net.springs) {
      rest_lengths[Index(spring_list.size())] = float(s.stiffness * s.rest_length);
      spring_list.emplace_back(s.first, s.second);
    }
    factor.compute(system_matrix<float>(net, 1, 3));
  }
  bool usable() const override { return factor.info() == Eigen::Success; }
  bool step(int iterations) override
  {
    const float           h2 = float(h * h);
    const Eigen::VectorXf inertial_term = M * flattened<float>(coasted(net));
    Eigen::VectorXf       x = flattened<float>(first_iterate(net));
    for (int iteration = 0; iteration < iterations; ++iteration) {
      Index j = 0;
      for (const auto &i : spring_list) {
        Eigen::Vector3f p12(x[3 * i.first + 0] - x[3 * i.second + 0], x[3 * i.first + 1] - x[3 * i.second + 1],
                            x[3 * i.first + 2] - x[3 * i.second + 2]);
        p12.normalize();
        directions.segment<3>(3 * j) = rest_lengths[j] * p12;
        ++j;
      }
      const Eigen::VectorXf b = inertial_term + h2 * J * directions + h2 * fext;
      x = factor.solve(b);
    }
    arrive(unflattened(x));
    return true;
  }
};

/* Newton's method as GenPD writes it: triplets, a matrix from them, its analysis and its factorisation, every
 * iteration; no line search. */
template <class Scalar> struct Newton final : Elements<Scalar> {
  using Elements<Scalar>::elements;
  Eigen::SimplicialLLT<Sparse<Scalar>, Eigen::Upper> factor;
  Scalar                                             energy = 0;
  explicit Newton(const Net &given) : Elements<Scalar>(given) {}
  bool step(int iterations) override
  {
    const Vector<Scalar> y = flattened<Scalar>(this->inertial_position(this->net));
    Vector<Scalar>       x = flattened<Scalar>(this->first_iterate(this->net));
    for (int iteration = 0; iteration < iterations; ++iteration) {
      Vector<Scalar> g;
      energy = this->energy_and_gradient(x, y, g);
      Sparse<Scalar>   hessian(x.size(), x.size());
      Triplets<Scalar> triplets;
      for (const auto &element : elements) element->hessian(x, triplets);
      hessian.setFromTriplets(triplets.begin(), triplets.end());
      hessian = this->mass + Scalar(this->h * this->h) * hessian;
      factor.analyzePattern(hessian);
      factor.factorize(hessian);
      if (factor.info() != Eigen::Success) return false;
      const Vector<Scalar> direction = -factor.solve(g);
      x = x + direction;
    }
    this->arrive(unflattened(x));
    return true;
  }
};

/* Newton's method on g in N, as one writes it with a library, without avoidable work. These stand-ins are for no
 * program: they part the ratios of others to our Newton-CG into those of methods and those of programs. */
struct OwnNewton : sb_peer {
  using Vector = Eigen::VectorXd;
  using Block = Eigen::Matrix3d;
  const Net          net;
  std::vector<Block> inertia; /* m/h^2 and the springs that hold pinned vertices */

  explicit OwnNewton(const Net &given) : sb_peer(given), net(given)
  {
    for (Index i = 0; i < net.vertices(); ++i) inertia.push_back(net.mass[i] / (h * h) * Block::Identity());
    for (int i : net.pinned) inertia[size_t(i)] += net.pin_weight * Block::Identity();
  }
  static Eigen::Vector3d edge(const Spring &s, const Vector &x)
  {
    return x.segment<3>(3 * s.first) - x.segment<3>(3 * s.second);
  }
  /* Without negative eigenvalues if `positive`. */
  static Block curvature(const Spring &s, const Vector &x, bool positive)
  {
    const Eigen::Vector3d d = edge(s, x);
    const double          square = d.squaredNorm(), across = 1 - s.rest_length / std::sqrt(square);
    const double          kept = s.stiffness * (positive ? std::max(0.0, across) : across);
    return kept * Block::Identity() + (s.stiffness - kept) / square * d * d.transpose();
  }
  double energy(const Vector &x, const Vector &y, Vector *gradient = nullptr) const
  {
    double sum = 0;
    if (gradient) gradient->resize(x.size());
    for (Index i = 0; i < net.vertices(); ++i) {
      const Eigen::Vector3d away = x.segment<3>(3 * i) - y.segment<3>(3 * i);
      sum += net.mass[i] / (2 * h * h) * away.squaredNorm();
      if (gradient) gradient->segment<3>(3 * i) = net.mass[i] / (h * h) * away;
    }
    for (int i : net.pinned) {
      const Eigen::Vector3d away = x.segment<3>(3 * i) - net.position.row(i).transpose();
      sum += net.pin_weight / 2 * away.squaredNorm();
      if (gradient) gradient->segment<3>(3 * i) += net.pin_weight * away;
    }
    for (const Spring &s : net.springs) {
      const Eigen::Vector3d d = edge(s, x);
      const double          length = d.norm(), stretch = length - s.rest_length;
      sum += s.stiffness / 2 * stretch * stretch;
      if (!gradient) continue;
      const Eigen::Vector3d pull = s.stiffness * stretch / length * d;
      gradient->segment<3>(3 * s.first) += pull;
      gradient->segment<3>(3 * s.second) -= pull;
    }
    return sum;
  }
};

/* Newton with the projected Hessian and whole steps, by CHOLMOD's supernodal factor. The pattern of the matrix is
 * analysed once, and the places of blocks in it are found once. */
struct CholmodNewton final : OwnNewton {
  Sparse<double>                              hessian; /* both triangles */
  std::vector<std::array<Index, 4>>           places;  /* of a spring's blocks: ii, jj, ij, ji */
  std::vector<Index>                          diagonal;
  Eigen::CholmodSupernodalLLT<Sparse<double>> factor;

  explicit CholmodNewton(const Net &given) : OwnNewton(given), hessian(3 * net.vertices(), 3 * net.vertices())
  {
    Triplets<double> triplets;
    const auto       reserve = [&](int row, int column) {
      for (int d = 0; d < 9; ++d) triplets.emplace_back(3 * row + d / 3, 3 * column + d % 3, 1);
    };
    for (int i = 0; i < int(net.vertices()); ++i) reserve(i, i);
    for (const Spring &s : net.springs) {
      reserve(s.first, s.second);
      reserve(s.second, s.first);
    }
    hessian.setFromTriplets(triplets.begin(), triplets.end());
    for (int i = 0; i < int(net.vertices()); ++i) diagonal.push_back(place(i, i));
    for (const Spring &s : net.springs)
      places.push_back(
          {place(s.first, s.first), place(s.second, s.second), place(s.first, s.second), place(s.second, s.first)});
    factor.analyzePattern(hessian);
  }
  /* Of a block in each of its three columns, which have the same rows. */
  Index place(int row, int column) const
  {
    const int *rows = hessian.innerIndexPtr(), *start = hessian.outerIndexPtr() + 3 * column;
    return std::lower_bound(rows + start[0], rows + start[1], 3 * row) - (rows + start[0]);
  }
  void add(int column, Index place, const Block &block)
  {
    for (int d = 0; d < 3; ++d)
      Eigen::Map<Eigen::Vector3d>(hessian.valuePtr() + hessian.outerIndexPtr()[3 * column + d] + place) += block.col(d);
  }
  void assemble(const Vector &x)
  {
    std::fill_n(hessian.valuePtr(), hessian.nonZeros(), 0.0);
    for (int i = 0; i < int(net.vertices()); ++i) add(i, diagonal[size_t(i)], inertia[size_t(i)]);
    for (size_t s = 0; s < net.springs.size(); ++s) {
      const Spring &spring = net.springs[s];
      const Block   H = curvature(spring, x, true);
      add(spring.first, places[s][0], H);
      add(spring.second, places[s][1], H);
      add(spring.second, places[s][2], -H);
      add(spring.first, places[s][3], -H);
    }
  }
  bool step(int iterations) override
  {
    const Vector y = flattened<double>(inertial_position(net));
    Vector       x = flattened<double>(first_iterate(net)), g;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      energy(x, y, &g);
      assemble(x);
      factor.factorize(hessian);
      if (factor.info() != Eigen::Success) return false;
      x -= factor.solve(g);
    }
    arrive(unflattened(x));
    return true;
  }
};

/* newton_cg of solvers/minimize: truncated conjugate gradients on the exact Hessian, block Jacobi of the projected one,
 * backtracking. Products go over the springs' blocks. */
struct NewtonCG final : OwnNewton {
  enum { CG_MAX = 500, HALVINGS_MAX = 60 };
  std::vector<Block> blocks, inverse; /* of springs, of vertices */

  explicit NewtonCG(const Net &given) : OwnNewton(given), blocks(net.springs.size()) {}
  void keep_hessian(const Vector &x)
  {
    inverse = inertia;
    for (size_t s = 0; s < net.springs.size(); ++s) {
      blocks[s] = curvature(net.springs[s], x, false);
      const Block positive = curvature(net.springs[s], x, true);
      inverse[size_t(net.springs[s].first)] += positive;
      inverse[size_t(net.springs[s].second)] += positive;
    }
    for (Block &block : inverse) block = block.inverse().eval();
  }
  void multiply(const std::vector<Block> &diagonal, const Vector &p, Vector &product) const
  {
    for (Index i = 0; i < net.vertices(); ++i) product.segment<3>(3 * i) = diagonal[size_t(i)] * p.segment<3>(3 * i);
  }
  void multiply_hessian(const Vector &p, Vector &product) const
  {
    multiply(inertia, p, product);
    for (size_t s = 0; s < blocks.size(); ++s) {
      const Eigen::Vector3d pull = blocks[s] * edge(net.springs[s], p);
      product.segment<3>(3 * net.springs[s].first) += pull;
      product.segment<3>(3 * net.springs[s].second) -= pull;
    }
  }
  Vector direction(const Vector &g, double forcing) const
  {
    Vector r = g, z(g.size()), s = Vector::Zero(g.size()), product(g.size());
    multiply(inverse, r, z);
    Vector       p = z;
    double       square = r.dot(z);
    const double most = forcing * forcing * square;
    int          count = 0;
    for (; square > most && count < CG_MAX; ++count) {
      multiply_hessian(p, product);
      const double bend = p.dot(product), before = square;
      if (!(bend > 0)) break;
      s += square / bend * p;
      r -= square / bend * product;
      multiply(inverse, r, z);
      square = r.dot(z);
      p = z + square / before * p;
    }
    return count > 0 ? s : z;
  }
  bool step(int iterations) override
  {
    const Vector y = flattened<double>(inertial_position(net));
    Vector       x = flattened<double>(first_iterate(net)), g, trial;
    double       first = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      const double value = energy(x, y, &g);
      if (iteration == 0) first = g.norm();
      keep_hessian(x);
      const Vector s = direction(g, std::min(0.5, std::sqrt(g.norm() / first)));
      const double slope = -g.dot(s);
      double       a = 1;
      trial = x - s;
      for (int k = 0; k < HALVINGS_MAX && energy(trial, y) > value + 1e-4 * a * slope; ++k) {
        a /= 2;
        trial = x - a * s;
      }
      x = trial;
    }
    arrive(unflattened(x));
    return true;
  }
};

/* The explicit step of textbooks: particles and springs as objects, symplectic Euler. */
struct Textbook final : sb_peer {
  struct Particle {
    Eigen::Vector3d position, velocity, force;
    double          mass;
    bool            pinned;
  };
  const Net             net;
  const Eigen::Vector3d gravity;
  std::vector<Particle> particles;

  explicit Textbook(const Net &given) : sb_peer(given), net(given), gravity(net.gravity)
  {
    for (Index i = 0; i < net.vertices(); ++i)
      particles.push_back(
          {position.row(i).transpose(), velocity.row(i).transpose(), Eigen::Vector3d::Zero(), net.mass[i], false});
    for (int i : net.pinned) particles[size_t(i)].pinned = true;
  }
  bool step(int) override
  {
    for (Particle &p : particles) p.force = p.mass * gravity;
    for (const Spring &s : net.springs) {
      Particle             &a = particles[size_t(s.first)], &b = particles[size_t(s.second)];
      const Eigen::Vector3d edge = a.position - b.position;
      const double          length = edge.norm();
      const Eigen::Vector3d force = s.stiffness * (length - s.rest_length) / length * edge;
      a.force -= force;
      b.force += force;
    }
    for (Particle &p : particles) {
      if (p.pinned) continue;
      p.velocity += h / p.mass * p.force;
      p.position += h * p.velocity;
    }
    return true;
  }
  void gather()
  {
    for (size_t i = 0; i < particles.size(); ++i) {
      position.row(Index(i)) = particles[i].position.transpose();
      velocity.row(Index(i)) = particles[i].velocity.transpose();
    }
  }
};

template <class Peer> sb_peer *made(const Net &net) { return new Peer(net); }

const struct {
  const char *name;
  sb_peer *(*make)(const Net &net);
} peers[] = {
    {"eigen_nxn_llt", made<CourseSparse>},        {"eigen_nxn_ldlt", made<ShapeOp>},
    {"eigen_nxn_llt_float", made<GenPD>},         {"eigen_3n_ldlt", made<QMinh>},
    {"eigen_3n_llt_float", made<FastMassSpring>}, {"eigen_newton", made<Newton<double>>},
    {"eigen_newton_float", made<Newton<float>>},  {"textbook_explicit", made<Textbook>},
    {"cholmod_newton", made<CholmodNewton>},      {"eigen_newton_cg", made<NewtonCG>},
};
} /* namespace */

sb_peer *sb_peer_create(const char *name, const sb_peer_net *net, const char **why)
{
  *why = "no stand-in has this name";
  try {
    for (const auto &entry : peers) {
      if (std::strcmp(entry.name, name) != 0) continue;
      std::unique_ptr<sb_peer> peer(entry.make(Net(*net)));
      *why = "its matrix is not positive definite";
      return peer->usable() ? peer.release() : nullptr;
    }
  } catch (const std::bad_alloc &) {
    *why = "memory is out";
  }
  return nullptr;
}

bool sb_peer_step(sb_peer *peer, int iterations) { return peer->step(iterations); }

void sb_peer_state(const sb_peer *peer, double *position, double *velocity)
{
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  if (auto *textbook = dynamic_cast<const Textbook *>(peer)) const_cast<Textbook *>(textbook)->gather();
  Eigen::Map<Rows>(position, peer->position.rows(), 3) = peer->position;
  Eigen::Map<Rows>(velocity, peer->velocity.rows(), 3) = peer->velocity;
}

void sb_peer_destroy(sb_peer *peer) { delete peer; }
